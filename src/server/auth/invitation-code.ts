import { createHmac, randomInt } from 'node:crypto';

/** Letters and digits that nobody mistakes for each other: no 0, 1, I, L, O. */
const alphabet = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const groups = 3;
const groupLength = 4;

/** A new code of an invitation, some 59 random bits: 'K7QF-2MXR-9TBA'. */
export function newInvitationCode(): string {
  const group = (): string => Array.from({ length: groupLength }, () => alphabet[randomInt(alphabet.length)]).join('');
  return Array.from({ length: groups }, group).join('-');
}

/** What the database keeps of a code, however it is typed: small letters, with or without hyphens and blanks. */
export function invitationHash(pepper: Buffer, code: string): Buffer {
  const typed = code.toUpperCase().replaceAll(/[^0-9A-Z]/gu, '');
  return createHmac('sha256', pepper).update('invitation').update(typed).digest();
}
