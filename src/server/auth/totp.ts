import { createHmac, timingSafeEqual } from 'node:crypto';

const stepMs = 30_000;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The half minute of a moment, counted from 1970: each has a code of its own (RFC 6238). */
export function stepsAt(now: Date): number {
  return Math.floor(now.getTime() / stepMs);
}

/** The six digits of an authenticator app in a half minute (RFC 4226 with SHA-1, the one that all apps know). */
export function codeAt(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const number = mac.readUInt32BE((mac.at(-1) ?? 0) & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** The half minute whose code this is: the present one, the one before or the one after, as clocks differ; null for a wrong code. */
export function stepOf(secret: Buffer, code: string, now: Date): number | null {
  const given = Buffer.from(code, 'utf8');
  const right = [0, -1, 1].map((near) => stepsAt(now) + near).filter((step) => isSame(given, codeAt(secret, step)));
  return right[0] ?? null;
}

/** A secret as people type it into an app (RFC 4648, without padding). */
export function base32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/gu) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}

/** What an app reads out of the QR code. */
export function otpauthUri(secret: Buffer, email: string): string {
  const about = new URLSearchParams({ secret: base32(secret), issuer: 'Flotilla', algorithm: 'SHA1', digits: '6', period: '30' });
  return `otpauth://totp/Flotilla:${encodeURIComponent(email)}?${about.toString()}`;
}

function isSame(given: Buffer, code: string): boolean {
  const right = Buffer.from(code, 'utf8');
  return given.length === right.length && timingSafeEqual(given, right);
}
