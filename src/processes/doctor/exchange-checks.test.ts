import { startSandbox } from '#sandbox/sandbox.ts';
import { hourMs } from '#engine/market/durations.ts';
import { expect, test } from 'vitest';
import { openMailBox } from '../../../test/support/mail-box.ts';
import { readConfig } from '../config.ts';
import { checkExchanges } from './exchange-checks.ts';
import { checkMail } from './mail-check.ts';

const spot = [{ exchangeId: 'sandbox', marketType: 'spot' }] as const;

test.each([
  [0, 'ok'],
  [600, 'warning'],
  [-600, 'warning'],
  [hourMs, 'broken'],
  [-hourMs, 'broken'],
])('an exchange whose clock is %d ms ahead of this machine’s is %s', async (ahead, state) => {
  const sandbox = await startSandbox({ startTime: Date.now() + ahead });
  const [finding] = await checkExchanges(spot, sandbox.url);
  await sandbox.close();
  expect(finding).toMatchObject({ check: 'exchange sandbox (spot)', state });
  expect(finding?.found).toContain(ahead < 0 ? 'ms ahead' : ahead > 0 ? 'ms behind' : 'It answers');
});

test('an exchange that does not answer is broken; a sandbox of which no address is known is not asked', async () => {
  const sandbox = await startSandbox();
  const { url } = sandbox;
  await sandbox.close();
  expect(await checkExchanges(spot, url)).toMatchObject([{ state: 'broken', found: expect.stringContaining('cannot be reached') }]);
  expect(await checkExchanges(spot, null)).toMatchObject([{ state: 'ok', found: expect.stringContaining('not checked') }]);
  expect(await checkExchanges([], null)).toMatchObject([{ state: 'ok' }]);
});

test('a mail server answers, refuses the password, or is not there; no mail is sent', async () => {
  const box = await openMailBox();
  const locked = await openMailBox({ signIn: { user: 'bots', password: 'right-one' } });
  const check = (smtpUrl: string | null, isOpen = false) => checkMail({ smtpUrl, isOpen });
  expect(await check(box.url)).toMatchObject({ state: 'ok' });
  expect(await check(locked.url.replace('//', '//bots:right-one@'))).toMatchObject({ state: 'ok' });
  const wrong = await check(locked.url.replace('//', '//bots:wrong-one@'));
  expect(wrong).toMatchObject({ state: 'broken', found: expect.stringContaining('refused the user name or the password') });
  expect(JSON.stringify(wrong)).not.toContain('wrong-one');
  expect(await check('smtp://127.0.0.1:1')).toMatchObject({ state: 'broken', found: 'The mail server cannot be reached (ECONNREFUSED).' });
  expect([...box.mails, ...locked.mails]).toEqual([]);
  expect(await check(null)).toMatchObject({ state: 'ok' });
  const open = readConfig({ HOST: '0.0.0.0' }, '/');
  expect(await checkMail(open)).toMatchObject({ state: 'warning', toDo: 'Set SMTP_URL.' });
});
