import { SMTPServer } from 'smtp-server';
import { afterAll } from 'vitest';

/** A mail as it arrived. */
export interface ReceivedMail {
  to: string[];
  subject: string;
  head: string; // all headers
  text: string;
}

/** A real SMTP server on loopback that keeps what it is sent. */
export interface MailBox {
  url: string;
  mails: ReceivedMail[];
  /** The code in the newest mail to this address. */
  code(to: string): string;
  /** From now on every mail is refused, or taken again. */
  refuse(refused: boolean): void;
  /** From now on nobody can connect, or again everybody. */
  close(closed: boolean): void;
}

/** Opens a mail box for a test file; it is closed after it. */
export async function openMailBox(): Promise<MailBox> {
  const mails: ReceivedMail[] = [];
  let isRefusing = false;
  let isClosed = false;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onConnect: (_, done) => (isClosed ? done(new Error('closed')) : done()),
    onRcptTo: (_, __, done) => (isRefusing ? done(new Error('mailbox is full')) : done()),
    onData(stream, session, done) {
      let raw = '';
      stream.setEncoding('utf8').on('data', (part: string) => (raw += part));
      stream.on('end', () => {
        const [head = '', ...body] = raw.split('\r\n\r\n');
        mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          subject: /^Subject: (.*)$/mu.exec(head)?.[1]?.trim() ?? '',
          head,
          text: body.join('\n\n').replaceAll('=\r\n', ''),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    code(to) {
      const mail = mails.findLast((sent) => sent.to.includes(to));
      const code = /^(\d{6})\s*$/mu.exec(mail?.text ?? '')?.[1];
      if (code === undefined) throw new Error(`No mail with a code went to ${to}`);
      return code;
    },
    refuse: (refused) => void (isRefusing = refused),
    close: (closed) => void (isClosed = closed),
  };
}
