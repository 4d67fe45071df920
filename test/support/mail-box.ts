import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterAll } from 'vitest';

/** A mail as it arrived. */
export interface ReceivedMail {
  to: string[];
  from: string;
  subject: string;
  head: string; // all headers
  text: string;
  attachments: { name: string; type: string; content: Buffer }[];
  isEncrypted: boolean; // on its way
  user: string | null; // who has signed in to send it
}

/** The certificate of the mail boxes that encrypt: for localhost and 127.0.0.1, by an authority that nobody else knows. */
export const certificates = join(import.meta.dirname, 'certificates');

/** How a mail box is reached; without anything openly and by everybody. */
export interface MailBoxOptions {
  tls?: 'starttls' | 'implicit';
  signIn?: { user: string; password: string; refusal?: string }; // only by these, with these words for others
}

/** A real SMTP server on loopback that keeps what it is sent. */
export interface MailBox {
  url: string;
  port: number;
  mails: ReceivedMail[];
  passwords: string[]; // that were tried
  /** The code in the newest mail to this address. */
  code(to: string): string;
  /** From now on every mail is refused, with these words if there are any, or taken again. */
  refuse(refused: boolean | string): void;
  /** From now on nobody can connect, or again everybody. */
  close(closed: boolean): void;
}

/** Opens a mail box for a test file; it is closed after it. */
export async function openMailBox({ tls, signIn }: MailBoxOptions = {}): Promise<MailBox> {
  const mails: ReceivedMail[] = [];
  const passwords: string[] = [];
  let refusal: string | null = null;
  let isClosed = false;
  const server = new SMTPServer({
    authOptional: signIn === undefined,
    allowInsecureAuth: true, // that nobody does it is tested
    disabledCommands: tls === undefined ? ['STARTTLS'] : [],
    secure: tls === 'implicit',
    ...(tls === undefined
      ? {}
      : { key: readFileSync(join(certificates, 'server.key')), cert: readFileSync(join(certificates, 'server.pem')) }),
    onAuth({ username, password }, _, done) {
      passwords.push(password ?? '');
      if (username === signIn?.user && password === signIn?.password) done(null, { user: username });
      else done(new Error(signIn?.refusal ?? 'wrong user or password'));
    },
    onSecure: (_, __, done) => done(),
    onConnect: (_, done) => (isClosed ? done(new Error('closed')) : done()),
    onRcptTo: (_, __, done) => (refusal === null ? done() : done(new Error(refusal))),
    onData(stream, session, done) {
      let raw = '';
      stream.setEncoding('utf8').on('data', (part: string) => (raw += part));
      stream.on('end', () => {
        const [head = '', ...rest] = raw.split('\r\n\r\n');
        const { body, attachments } = partsOf(head, rest.join('\r\n\r\n'));
        mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          from: session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address,
          head,
          isEncrypted: session.secure,
          user: typeof session.user === 'string' ? session.user : null,
          subject: /^Subject: (.*)$/mu.exec(head)?.[1]?.trim() ?? '',
          text: body,
          attachments,
        });
        done();
      });
    },
  });
  server.on('error', () => {}); // somebody has hung up, because of the certificate for example
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `${tls === 'implicit' ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    port,
    mails,
    passwords,
    code(to) {
      const mail = mails.findLast((sent) => sent.to.includes(to));
      const code = /^(\d{6})\s*$/mu.exec(mail?.text ?? '')?.[1];
      if (code === undefined) throw new Error(`No mail with a code went to ${to}`);
      return code;
    },
    refuse: (refused) => void (refusal = refused === true ? 'mailbox is full' : refused === false ? null : refused),
    close: (closed) => void (isClosed = closed),
  };
}

/** The text of a mail and the files that go with it; a mail of one part is text. */
function partsOf(head: string, content: string): { body: string; attachments: ReceivedMail['attachments'] } {
  const text = (headers: string, encoded: string): string => {
    const joined = encoded.replaceAll('\r\n\r\n', '\n\n').replaceAll('=\r\n', '');
    if (!/^Content-Transfer-Encoding: quoted-printable/imu.test(headers)) return joined;
    const bytes = joined.replaceAll(/=([0-9A-F]{2})/gu, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)));
    return Buffer.from(bytes, 'latin1').toString('utf8');
  };
  const boundary = /^Content-Type: multipart\/mixed;\s+boundary="([^"]+)"/mu.exec(head)?.[1];
  if (boundary === undefined) return { body: text(head, content), attachments: [] };
  const [first = '', ...files] = content
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => part.trim());
  const start = first.indexOf('\r\n\r\n');
  return {
    body: text(first.slice(0, start), first.slice(start + 4)),
    attachments: files.map((part) => {
      const end = part.indexOf('\r\n\r\n');
      const headers = part.slice(0, end);
      return {
        name: /filename="?([^"\r\n;]+)/u.exec(headers)?.[1] ?? '',
        type: /^Content-Type: ([^;\r\n]+)/mu.exec(headers)?.[1] ?? '',
        content: Buffer.from(part.slice(end), 'base64'),
      };
    }),
  };
}
