import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

test('without any setting the product runs on loopback, embedded, as a demonstration', () => {
  expect(readConfig({}, '/clone')).toEqual({
    host: '127.0.0.1',
    port: 3000,
    home: '/clone/.flotilla',
    databaseUrl: null,
    smtpUrl: null,
    publicUrl: null,
    admin: null,
    isDemo: true,
    isLoopback: true,
  });
});

test('the demonstration is off as soon as something real is configured or the host is open', () => {
  expect(readConfig({ DATABASE_URL: 'postgresql://x@y/z' }, '/').isDemo).toBe(false);
  expect(readConfig({ HOST: '0.0.0.0' }, '/').isDemo).toBe(false);
  expect(readConfig({ ADMIN_EMAIL: 'a@b.cd', ADMIN_PASSWORD: 'long enough' }, '/').isDemo).toBe(false);
  expect(readConfig({ ADMIN_EMAIL: 'a@b.cd', ADMIN_PASSWORD: 'long enough', DEMO: 'on' }, '/').isDemo).toBe(true);
  expect(readConfig({ DEMO: 'off' }, '/').isDemo).toBe(false);
});

test('all wrong values are told at once, each with what was expected', () => {
  const wrong = { PORT: '99999', HOST: 'a b', DATABASE_URL: 'mysql://x', SMTP_URL: 'mail', ADMIN_EMAIL: 'nobody', DEMO: 'maybe' };
  let text = '';
  try {
    readConfig(wrong, '/');
  } catch (error) {
    text = String(error);
  }
  for (const part of [
    'PORT must be a number from 1 to 65535',
    'HOST must be a host name',
    'DATABASE_URL must be an address that begins with postgres://',
    'SMTP_URL must be an address that begins with smtp://',
    'ADMIN_EMAIL must be an e-mail address',
    'ADMIN_EMAIL and ADMIN_PASSWORD must be set together',
    'DEMO must be on or off',
  ]) {
    expect(text).toContain(part);
  }
});

test('a demonstration on an open host is refused', () => {
  expect(() => readConfig({ HOST: '0.0.0.0', DEMO: 'on' }, '/')).toThrow('DEMO=on needs a HOST on loopback');
});
