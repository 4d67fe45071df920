import { describe, expect, test } from 'vitest';
import { openMailBox } from '../../test/support/mail-box.ts';
import { smtpMailer } from './mailer.ts';

const box = await openMailBox();
const sender = { name: 'Flotilla', address: 'flotilla@example.com' };
const mailer = smtpMailer(box.url, { sender: async () => sender });
const evil = 'evil@example.net';

/** Addresses that try to be two, or to bring a header or a command along. */
const refused = [
  `ada@example.com\r\nBcc: ${evil}`,
  `ada@example.com\nBcc: ${evil}`,
  `ada@example.com\rBcc: ${evil}`,
  `ada@example.com\r\n\r\nanother body`,
  `ada@example.com\r\nRCPT TO:<${evil}>`,
  `ada@example.com>\r\nRCPT TO:<${evil}`,
  `ada@example.com> NOTIFY=SUCCESS`,
  `ada@example.com\u2028Bcc: ${evil}`,
  `ada@example.com\u2029Bcc: ${evil}`,
  `ada@example.com\u0085Bcc: ${evil}`,
  `ada@example.com\u0000`,
  `ada@example.com\u000b${evil}`,
  `ada@example.com\t${evil}`,
  `ada@example.com ${evil}`,
  `ada@example.com, ${evil}`,
  `ada@example.com,${evil}`,
  `ada@example.com;${evil}`,
  `ada@example.com:${evil}`,
  `ada,${evil}`,
  `friends: ada@example.com, ${evil};`,
  `Ada <ada@example.com>`,
  `<ada@example.com>`,
  `<ada@example.com`,
  `ada@example.com>`,
  `ada@example.com<${evil}>`,
  `"ada@example.com" <${evil}>`,
  `"ada, ${evil}"@example.com`,
  `"ada"@example.com`,
  `ada(comment)@example.com`,
  `ada@example.com(comment)`,
  `%(code)s@example.com`,
  `ada\\@example.com`,
  `ada@[127.0.0.1]`,
  `ada@example.com@example.net`,
  `@example.net:ada@example.com`,
  `ada`,
  `@example.com`,
  `ada@`,
  ``,
  ` `,
  `a@${'x'.repeat(400)}.com`,
];

/** Addresses that look odd and are one address each. */
const literal = [
  `ada+bots@example.com`,
  `{{code}}@example.com`,
  `{%code%}@example.com`,
  '${code}@example.com',
  '%code%@example.com',
  `=?utf-8?q?ada=2Cevil?=@example.com`,
  `=?utf-8?b?ZXZpbA==?=@example.com`,
  `%0d%0aBcc%3aevil@example.com`,
  `ada'--@example.com`,
  `ada!evil@example.com`,
  `évа@example.com`,
];

test.each(refused.map((recipient) => [JSON.stringify(recipient), recipient]))('%s is refused', async (_, recipient) => {
  box.mails.length = 0;
  await expect(mailer.send({ recipient, subject: 'Bot paused', body: '' })).rejects.toThrow('The recipient is not an e-mail address.');
  expect(box.mails).toEqual([]);
});

test.each(literal)('%s is one recipient, as it is written', async (recipient) => {
  box.mails.length = 0;
  await mailer.send({ recipient, subject: 'Bot paused', body: '' });
  expect(box.mails.map(({ to }) => to)).toEqual([[recipient]]);
});

describe('a text that ends its header', () => {
  const endings = ['\r\n', '\n', '\r', '\u2028', '\u0085', '\r\n\r\n', '=0D=0A', '%0d%0a', ' {{ newline }} ', '=?utf-8?q?=0D=0A?='];

  test.each(endings.map((ending) => [JSON.stringify(ending), ending]))(
    '%s in the subject or a name adds no header and no recipient',
    async (_, ending) => {
      box.mails.length = 0;
      const trick = `Alpha${ending}Bcc: ${evil}${ending}X-Added: yes`;
      const named = smtpMailer(box.url, { sender: async () => ({ ...sender, name: trick }) });
      await named.send({ recipient: 'ada@example.com', subject: trick, body: trick });
      named.close();
      expect(box.mails.map(({ to, from }) => ({ to, from }))).toEqual([{ to: ['ada@example.com'], from: 'flotilla@example.com' }]);
      const names = (box.mails[0]?.head ?? '').split('\r\n').flatMap((line) => /^([\w-]+):/u.exec(line)?.[1] ?? []);
      expect(names.toSorted()).toEqual(
        ['Content-Transfer-Encoding', 'Content-Type', 'Date', 'From', 'MIME-Version', 'Message-ID', 'Subject', 'To'].toSorted(),
      );
    },
  );

  test('a body that ends the mail is one mail', async () => {
    box.mails.length = 0;
    await mailer.send({ recipient: 'ada@example.com', subject: 'Bot paused', body: `one\r\n.\r\nMAIL FROM:<${evil}>\r\n.\r\n{{ two }}` });
    expect(box.mails).toHaveLength(1);
    expect(box.mails[0]?.text).toContain('{{ two }}');
  });
});
