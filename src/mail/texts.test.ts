import { describe, expect, test } from 'vitest';
import { mails } from './texts.ts';

const to = 'ada@example.com';
const place = { device: 'Firefox on Linux', address: '192.0.2.7', time: new Date('2026-11-22T07:05:33Z') };

test('OP-25 the subjects are the written ones, word for word', () => {
  const subjects = [
    mails.verification(to, '012345'),
    mails.reset(to, '012345'),
    mails.twoFactor(to, '012345'),
    mails.passwordChanged(to),
    mails.botPaused(to, 'Alpha', 3, 'paper'),
  ].map(({ subject }) => subject);
  expect(subjects).toEqual([
    'Your verification code',
    'Your password reset code',
    'Your 2FA code',
    'Your password was changed',
    'Bot paused',
  ]);
});

test('a mail about a live bot begins with LIVE, and says whether the money is real; one about paper does not', () => {
  const firstLine = (mode: 'paper' | 'live' | 'testnet') => mails.botPaused(to, 'Alpha', 3, mode).body.split('\n')[0];
  expect(firstLine('live')).toBe('LIVE: real orders, real money.');
  expect(firstLine('testnet')).toBe('LIVE on the sandbox or a test network: real orders, no real money.');
  expect(firstLine('paper')).toMatch(/^Your bot "Alpha"/u);
});

test.each([
  mails.verification(to, '012345'),
  mails.reset(to, '012345'),
  mails.twoFactor(to, '012345'),
  mails.invitation(to, '012345', 'https://bots.example.com/register'),
])('OP-25 the code stands alone on one line: $subject', ({ body }) => {
  expect(body.split('\n').filter((line) => line.includes('012345'))).toEqual(['012345']);
});

describe('a security mail', () => {
  const all = {
    newDevice: mails.newDevice(to, place),
    twoFactorOn: mails.twoFactorOn(to),
    roleChanged: mails.roleChanged(to, 'trader', 'operator'),
    passwordChanged: mails.passwordChanged(to),
    secondFactorLocked: mails.secondFactorLocked(to, 15),
    passwordResetNeeded: mails.passwordResetNeeded(to),
    sessionEnded: mails.sessionEnded(to),
    sessionsEnded: mails.sessionsEnded(to),
    apiKeyAdded: mails.apiKeyAdded(to, 'Kraken'),
    apiKeyDeleted: mails.apiKeyDeleted(to, 'Kraken', '9f3C'),
    apiKeyRefused: mails.apiKeyRefused(to, 'Kraken', '9f3C'),
    manyWrongPasswords: mails.manyWrongPasswords(to, 214, 10),
  };

  test.each(Object.entries(all))('%s goes to one person and says what happened and what to do about it', (_, mail) => {
    expect(mail.recipient).toBe(to);
    expect(mail.subject).toMatch(/^[\w ,'-]{8,60}$/u);
    const [happened = '', ...rest] = mail.body.split('\n');
    expect(happened.length).toBeGreaterThan(30);
    const toDo = rest.at(-1) ?? '';
    expect(toDo).toMatch(/\b(Forgot password|ask your administrator|change your password|add a working key|Block those addresses)\b/u);
    expect(mail.body.length).toBeLessThan(500);
    expect(mail.body).not.toMatch(/undefined|null|\{|\}/u);
  });

  test('that no two things share a subject', () => {
    const subjects = Object.values(all).map(({ subject }) => subject);
    expect(new Set(subjects).size).toBe(subjects.length);
  });

  test('names the device, the address and the time of a sign-in; an unknown device is called so', () => {
    expect(mails.newDevice(to, place).body).toContain('Device: Firefox on Linux\nAddress: 192.0.2.7\nTime: 2026-11-22 07:05 UTC');
    expect(mails.newDevice(to, { ...place, device: null }).body).toContain('Device: unknown');
  });
});

test('what people have entered stays on its line and is not a template', () => {
  const trick = 'Alpha"\r\n\r\n123456\u2028\u0085{{ code }}';
  for (const mail of [
    mails.botPaused(to, trick, 3, 'live'),
    mails.newDevice(to, { ...place, device: trick }),
    mails.apiKeyAdded(to, trick),
    mails.apiKeyDeleted(to, trick, trick),
    mails.apiKeyRefused(to, trick, trick),
    mails.roleChanged(to, trick, trick),
  ]) {
    expect(mail.body).toContain('Alpha" 123456 {{ code }}');
    expect(mail.body.split(/[\r\n\u0085\u2028\u2029]/u)).not.toContain('123456');
    expect(mail.subject).not.toContain('Alpha');
  }
});
