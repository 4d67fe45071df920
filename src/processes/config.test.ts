import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

test('without any setting the product runs on loopback, embedded, as a demonstration', () => {
  expect(readConfig({}, '/clone')).toEqual({
    host: '127.0.0.1',
    port: 3000,
    python: { given: null, configured: null, home: '/clone/.flotilla', path: '' },
    home: '/clone/.flotilla',
    databaseUrl: null,
    smtpUrl: null,
    sandboxUrl: null,
    masterKey: { file: null, text: null, isLost: false },
    publicUrl: null,
    trustedProxies: [],
    webhookHosts: [],
    googleAccountFile: null,
    metricsPort: 0,
    admin: null,
    liveTrading: 'sandbox',
    mostBots: 2000,
    mostBotsOfPerson: 200,
    backtestNiceness: 19,
    isDemo: true,
    isLoopback: true,
    isOpen: false,
  });
});

test('the demonstration is off as soon as something real is configured or the host is open', () => {
  expect(readConfig({ DATABASE_URL: 'postgresql://x@y/z' }, '/').isDemo).toBe(false);
  expect(readConfig({ HOST: '0.0.0.0' }, '/').isDemo).toBe(false);
  expect(readConfig({ ADMIN_EMAIL: 'a@b.cd', ADMIN_PASSWORD: 'long enough' }, '/').isDemo).toBe(false);
  expect(readConfig({ ADMIN_EMAIL: 'a@b.cd', ADMIN_PASSWORD: 'long enough', DEMO: 'on' }, '/').isDemo).toBe(true);
  expect(readConfig({ DEMO: 'off' }, '/').isDemo).toBe(false);
});

test('all wrong values are reported at once, each with what was expected', () => {
  const wrong = {
    PORT: '99999',
    METRICS_PORT: '65534',
    RUNNER_MAX_BOTS: '0',
    PERSON_MAX_BOTS: 'many',
    BACKTEST_NICENESS: '20',
    HOST: 'a b',
    DATABASE_URL: 'mysql://x',
    SMTP_URL: 'mail',
    ADMIN_EMAIL: 'nobody',
    DEMO: 'maybe',
  };
  let text = '';
  try {
    readConfig(wrong, '/');
  } catch (error) {
    text = String(error);
  }
  for (const sentence of [
    'PORT must be a number from 1 to 65535',
    'HOST must be a host name',
    'METRICS_PORT must be a number from 0 to 65533',
    'RUNNER_MAX_BOTS must be a number from 1 to 999999',
    'PERSON_MAX_BOTS must be a number from 1 to 999999',
    'BACKTEST_NICENESS must be a number from 0 to 19',
    'DATABASE_URL must be an address that begins with postgres://',
    'SMTP_URL must be an address that begins with smtp://',
    'ADMIN_EMAIL must be an e-mail address',
    'ADMIN_EMAIL and ADMIN_PASSWORD must be set together',
    'DEMO must be on or off',
  ]) {
    expect(text).toContain(sentence);
  }
});

test('a demonstration on an open host is refused', () => {
  expect(() => readConfig({ HOST: '0.0.0.0', DEMO: 'on' }, '/')).toThrow('DEMO=on needs a HOST on loopback');
});

test('trusted proxies are addresses and ranges of both families; anything else is refused', () => {
  const read = (text: string) => readConfig({ TRUSTED_PROXIES: text }, '/').trustedProxies;
  expect(read('127.0.0.1, 10.0.0.0/8,::1,fd00::/8')).toEqual(['127.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8']);
  expect(read('')).toEqual([]);
  const sentence = 'TRUSTED_PROXIES must be addresses or ranges with commas between them, e.g. 127.0.0.1,10.0.0.0/8';
  for (const bad of [
    'proxy.example',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/0',
    '::/129',
    '10.0.0.0/8/8',
    '10.0.0',
    '127.0.0.1,',
    'true',
    '1',
    'loopback',
    '10.0.0.0/',
  ]) {
    expect(() => read(bad), bad).toThrow(sentence);
  }
});

test('a demonstration is not for others: neither an open host nor a public address goes with DEMO=on', () => {
  expect(() => readConfig({ DEMO: 'on', HOST: '0.0.0.0' }, '/')).toThrow('DEMO=on needs a HOST on loopback');
  expect(() => readConfig({ DEMO: 'on', PUBLIC_URL: 'https://bots.example.com' }, '/')).toThrow('DEMO=on needs a PUBLIC_URL on loopback');
  expect(readConfig({ DEMO: 'on', PUBLIC_URL: 'http://localhost:8080' }, '/')).toMatchObject({ isDemo: true, isOpen: false });
  expect(readConfig({ PUBLIC_URL: 'https://bots.example.com' }, '/').isOpen).toBe(true);
  expect(readConfig({ HOST: '0.0.0.0' }, '/').isOpen).toBe(true);
  expect(readConfig({ PUBLIC_URL: 'http://[::1]:80' }, '/').isOpen).toBe(false);
});

test('a certificate that nobody checks is refused at the start, whoever it is of', () => {
  expect(() => readConfig({ NODE_TLS_REJECT_UNAUTHORIZED: '0' }, '/')).toThrow('NODE_TLS_REJECT_UNAUTHORIZED=0 is refused');
  expect(() => readConfig({ NODE_TLS_REJECT_UNAUTHORIZED: '1' }, '/')).not.toThrow();
});

test('OP-25 what is wrong with SMTP_URL is said without its password', () => {
  const cases: [string, string][] = [
    ['https://u:s3cret@host', 'SMTP_URL must be an address that begins with smtp:// or smtps://'],
    ['smtp://u:s3cret@host:99999', 'SMTP_URL must be an address that begins with smtp:// or smtps://'],
    ['smtp://u:s3cret%zz@host', 'SMTP_URL has a user or password with a % that is not an escape; write it as %25'],
    ['smtp://:s3cret@host', 'SMTP_URL has a password but no user'],
    ['smtp://u:s3cret@host?tls.rejectUnauthorized=false', 'SMTP_URL may have the parameter "from" and no other'],
    ['smtp://u:s3cret@host?from=nobody', 'The parameter "from" of SMTP_URL must be an e-mail address or Name <address>'],
  ];
  for (const [SMTP_URL, sentence] of cases) {
    expect(() => readConfig({ SMTP_URL }, '/')).toThrow(sentence);
    expect(() => readConfig({ SMTP_URL }, '/')).not.toThrow('s3cret');
  }
  expect(readConfig({ SMTP_URL: '' }, '/').smtpUrl).toBeNull();
  const whole = 'smtps://bots%40example.com:s3cret@mail.example.com:465?from=Bots <bots@example.com>';
  expect(readConfig({ SMTP_URL: whole }, '/').smtpUrl).toBe(whole);
});

test('WEBHOOK_HOSTS takes public names alone', () => {
  expect(readConfig({ WEBHOOK_HOSTS: ' Chat.example.org,hooks.example.net ' }, '/').webhookHosts).toEqual([
    'chat.example.org',
    'hooks.example.net',
  ]);
  for (const hosts of ['localhost', '10.0.0.1', 'chat', 'a.b,,c.d', 'chat.example.org:444'])
    expect(() => readConfig({ WEBHOOK_HOSTS: hosts }, '/'), hosts).toThrow('WEBHOOK_HOSTS must be public host names');
});
