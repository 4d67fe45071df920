import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import type { Sender } from './sender.ts';
import { senderOf } from './sender.ts';

/** A plain-text mail. */
export interface Mail {
  recipient: string;
  subject: string;
  body: string;
}

/** Sends mails. `send` fails when the mail could not be handed on. */
export interface Mailer {
  send(mail: Mail): Promise<void>;
  /** Whether mails can be sent now. */
  works(): Promise<boolean>;
  close(): void;
}

/** Sends over an SMTP server. `url` as smtp://user:password@host:port; `sender` is asked before every mail, else the URL says who it is. */
export function smtpMailer(url: string, sender: () => Promise<Sender> = async () => senderOf(url)): Mailer {
  const transport = createTransport(url, { connectionTimeout: 5_000, greetingTimeout: 5_000, socketTimeout: 10_000 } as never);
  return {
    async send({ recipient, subject, body }) {
      // An address object is never parsed, so an address cannot smuggle in a second recipient.
      await transport.sendMail({ from: await sender(), to: { name: '', address: recipient }, subject, text: body });
    },
    async works() {
      try {
        return await transport.verify();
      } catch {
        return false; // shown as the state of the platform
      }
    },
    close: () => transport.close(),
  };
}

/** Without an SMTP server mails are written to files, codes included, and reported to `say`. */
export function fileMailer(folder: string, say: (mail: Mail, file: string) => void, now: () => Date): Mailer {
  let number = 0;
  return {
    async send(mail) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const time = now().toISOString().replaceAll(/[:.]/gu, '-');
      number += 1;
      const file = join(folder, `${time}-${process.pid}-${number}.txt`);
      await writeFile(file, `To: ${mail.recipient}\nSubject: ${mail.subject}\n\n${mail.body}\n`, { mode: 0o600 });
      say(mail, file);
    },
    works: async () => true,
    close: () => {},
  };
}
