import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { MailBox } from '../../test/support/mail-box.ts';
import { certificates, openMailBox } from '../../test/support/mail-box.ts';
import { smtpFault, smtpMailer } from './mailer.ts';

const authority = join(certificates, 'authority.pem');
const systems = getCACertificates('default');
const trustTheAuthority = () => setDefaultCACertificates([...systems, readFileSync(authority, 'utf8')]);
afterEach(() => setDefaultCACertificates(systems));

const canary = 'Kn4r1-p%a:ss w@rd/é';
const signIn = { user: 'bots@example.com', password: canary };
const urlOf = (box: MailBox, { scheme = 'smtp', password = canary, host = 'localhost' } = {}) =>
  `${scheme}://${encodeURIComponent(signIn.user)}:${encodeURIComponent(password)}@${host}:${box.port}`;
/** This machine under a name that is not known as loopback: as a mail server on the network. */
const elsewhere = '[::ffff:127.0.0.1]';
const mail = { recipient: 'ada@example.com', subject: 'Your 2FA code', body: 'Use this code:\n\n012345\n' };
const failed = async (url: string): Promise<Error> => {
  const mailer = smtpMailer(url);
  try {
    await mailer.send(mail);
  } catch (error) {
    expect(await mailer.works()).toBe(false);
    return error as Error;
  } finally {
    mailer.close();
  }
  throw new Error('The mail was sent');
};

test('a mail server that repeats the password is quoted without it, in whichever spelling', async () => {
  const spellings = [
    canary,
    encodeURIComponent(canary),
    Buffer.from(canary).toString('base64'),
    Buffer.from(`\u0000${signIn.user}\u0000${canary}`).toString('base64'),
  ];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.end(`554 Nobody signs in with ${spellings.join(' or ')} here\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const url = `smtp://${encodeURIComponent(signIn.user)}:${encodeURIComponent(canary)}@127.0.0.1:${port}`;
  const sentences = [await smtpFault(url), (await failed(url)).message];
  server.close();
  for (const sentence of sentences) {
    expect(sentence).toContain('Nobody signs in with');
    for (const spelling of spellings) expect(sentence).not.toContain(spelling);
  }
});

describe('a mail is encrypted on its way', () => {
  test.each([
    ['starttls', 'smtp'],
    ['implicit', 'smtps'],
  ] as const)('by %s, after signing in, when the authority of the certificate is trusted', async (tls, scheme) => {
    trustTheAuthority();
    const box = await openMailBox({ tls, signIn });
    const mailer = smtpMailer(urlOf(box, { scheme }));
    expect(await mailer.works()).toBe(true);
    await mailer.send(mail);
    mailer.close();
    expect(box.mails).toEqual([expect.objectContaining({ to: ['ada@example.com'], isEncrypted: true, user: signIn.user })]);
    expect(new Set(box.passwords)).toEqual(new Set([canary]));
  });

  test.each([
    ['starttls', 'smtp'],
    ['implicit', 'smtps'],
  ] as const)('by %s: a certificate that nobody vouches for is refused before the password is sent', async (tls, scheme) => {
    const box = await openMailBox({ tls, signIn });
    expect((await failed(urlOf(box, { scheme }))).message).toMatch(/^The certificate of the mail server is not trusted \(.+\)\.$/u);
    expect([box.mails, box.passwords]).toEqual([[], []]);
  });

  test('a certificate of another host is refused, whoever vouches for it', async () => {
    trustTheAuthority();
    const box = await openMailBox({ tls: 'starttls', signIn });
    expect((await failed(urlOf(box, { host: elsewhere }))).message).toBe(
      'The certificate of the mail server is not trusted (it is of another host).',
    );
    expect(box.passwords).toEqual([]);
  });

  test('NODE_EXTRA_CA_CERTS names an authority to trust: without it the mail is refused, with it sent', async () => {
    const box = await openMailBox({ tls: 'implicit', signIn });
    const script = `import { smtpMailer } from ${JSON.stringify(join(import.meta.dirname, 'mailer.ts'))};
      const mailer = smtpMailer(process.env.URL);
      await mailer.send({ recipient: 'ada@example.com', subject: 'Bot paused', body: '' }).then(() => console.log('sent'), (error) => console.log(error.message));
      mailer.close();`;
    const run = async (environment: Record<string, string>) => {
      const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
        cwd: join(import.meta.dirname, '../..'),
        env: { PATH: process.env['PATH'], URL: urlOf(box, { scheme: 'smtps' }), ...environment },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      return (await text(child.stdout)).trim();
    };
    expect(await run({})).toMatch(/^The certificate of the mail server is not trusted/u);
    expect(box.mails).toEqual([]);
    expect(await run({ NODE_EXTRA_CA_CERTS: authority })).toBe('sent');
    expect(box.mails).toHaveLength(1);
  });
});

describe('a server that offers no encryption', () => {
  test('on the network never gets the password', async () => {
    const box = await openMailBox({ signIn });
    expect((await failed(urlOf(box, { host: elsewhere }))).message).toBe(
      'The mail server offers no encryption, and the password is not sent without it.',
    );
    expect([box.mails, box.passwords]).toEqual([[], []]);
  });

  test.each(['localhost', '127.0.0.1'])('on this machine (%s) gets it', async (host) => {
    const box = await openMailBox({ signIn });
    const mailer = smtpMailer(urlOf(box, { host }));
    await mailer.send(mail);
    mailer.close();
    expect(box.mails).toEqual([expect.objectContaining({ isEncrypted: false, user: signIn.user })]);
  });

  test('on the network takes mails from those who need no password', async () => {
    const box = await openMailBox();
    const mailer = smtpMailer(`smtp://${elsewhere}:${box.port}`);
    await mailer.send(mail);
    mailer.close();
    expect(box.mails).toHaveLength(1);
  });
});

describe('the password', () => {
  const base64 = (value: string) => Buffer.from(value).toString('base64');
  const spellings = [
    canary,
    encodeURIComponent(canary),
    base64(canary),
    base64(`\u0000${signIn.user}\u0000${canary}`),
    inspect(canary).slice(1, -1),
  ];
  const expectNoCanary = (error: unknown) => {
    for (const shown of [inspect(error, { depth: 9, showHidden: true }), JSON.stringify(error), String((error as Error).stack)])
      for (const spelling of spellings) expect(shown).not.toContain(spelling);
  };

  test('a wrong one is refused with a sentence, and is in nothing of the error', async () => {
    const box = await openMailBox({ signIn: { ...signIn, password: 'another', refusal: `no ${canary} ${base64(canary)}` } });
    const error = await failed(urlOf(box));
    expect(error.message).toBe('The mail server refused the user name or the password (535).');
    expectNoCanary(error);
    expect(box.passwords).toContain(canary);
    expect(box.mails).toEqual([]);
  });

  test('a server that repeats it in another answer does not get it into the error', async () => {
    const box = await openMailBox({ signIn });
    box.refuse(spellings.join(' '));
    const mailer = smtpMailer(urlOf(box));
    const error = await mailer.send(mail).catch((caught: unknown) => caught);
    mailer.close();
    expect((error as Error).message).toMatch(/^The mail server refused the mail: \d{3} \*\*\* \*\*\* \*\*\* \*\*\*/u);
    expectNoCanary(error);
  });

  test('nor does a server that is not there, or an address that cannot be read', async () => {
    const error = await failed(`smtp://user:${encodeURIComponent(canary)}@127.0.0.1:1`);
    expect(error.message).toBe('The mail server cannot be reached (ECONNREFUSED).');
    expectNoCanary(error);
    for (const wrong of [`smtp://user:${canary}@host:99999`, `http://user:${encodeURIComponent(canary)}@host`, `smtp://u:100%zz@host`]) {
      expect(() => smtpMailer(wrong)).toThrow(/^SMTP_URL /u);
      expect(() => smtpMailer(wrong)).not.toThrow(canary);
    }
  });
});

describe('the sender', () => {
  test('is the one of the address of the mail server, else a general one', async () => {
    const box = await openMailBox();
    for (const from of ['', '?from=bots@example.com', `?from=${encodeURIComponent('The Bots, Ltd. <bots@example.com>')}`]) {
      const mailer = smtpMailer(`${box.url}${from}`);
      await mailer.send(mail);
      mailer.close();
    }
    expect(box.mails.map(({ from }) => from)).toEqual(['flotilla@localhost', 'bots@example.com', 'bots@example.com']);
    expect(box.mails.at(-1)?.head).toContain('From: "The Bots, Ltd." <bots@example.com>');
  });

  test('can be asked for before every mail', async () => {
    const box = await openMailBox();
    let sender = { name: 'First', address: 'first@example.com' };
    const mailer = smtpMailer(`${box.url}?from=unused@example.com`, { sender: async () => sender });
    await mailer.send(mail);
    sender = { name: 'Second', address: 'second@example.com' };
    await mailer.send(mail);
    sender = { name: '', address: 'second@example.com>, <third@example.com' };
    await expect(mailer.send(mail)).rejects.toThrow('The sender is not an e-mail address.');
    mailer.close();
    expect(box.mails.map(({ from }) => from)).toEqual(['first@example.com', 'second@example.com']);
  });
});

describe('whether mails can be sent', () => {
  test('is asked once a minute, however many want to know it, also when the answer is no', async () => {
    const box = await openMailBox({ signIn });
    for (const [password, works] of [
      [canary, true],
      ['wrong', false],
    ] as const) {
      box.passwords.length = 0;
      const mailer = smtpMailer(urlOf(box, { password }));
      expect(await Promise.all(Array.from({ length: 5 }, () => mailer.works()))).toEqual(Array.from({ length: 5 }, () => works));
      expect(await mailer.works()).toBe(works);
      mailer.close();
      expect(box.passwords).toEqual([password]);
    }
  });

  test('is asked again a minute later also when the clock was ahead and has been set back', async () => {
    const box = await openMailBox();
    const mailer = smtpMailer(box.url);
    onTestFinished(() => {
      vi.restoreAllMocks();
      mailer.close();
    });
    const ahead = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
    expect(await mailer.works()).toBe(true);
    box.close(true);
    ahead.mockRestore();
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 61_000);
    expect(await mailer.works()).toBe(false);
  });

  test('is asked again after its time, and after a mail that was not sent', async () => {
    const box = await openMailBox();
    const [kept, fresh] = [smtpMailer(box.url), smtpMailer(box.url, { checkedForMs: 0 })];
    expect([await kept.works(), await fresh.works()]).toEqual([true, true]);
    box.close(true);
    expect([await kept.works(), await fresh.works()]).toEqual([true, false]);
    await expect(kept.send(mail)).rejects.toThrow();
    expect(await kept.works()).toBe(false);
    box.close(false);
    await kept.send(mail);
    expect(await kept.works()).toBe(true);
    kept.close();
    fresh.close();
  });
});
