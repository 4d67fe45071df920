import type { CallReply } from '#contract/client.ts';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { clearSession } from '../session/session-store.ts';
import type { Answerer, ArrivedCall } from '../testing/answerer.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { holdMoments } from '../testing/held-time.ts';
import { button, says } from '../testing/on-page.ts';
import { idOf } from '../testing/samples/ids.ts';
import { aMail } from '../testing/samples/installation.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { expectToast } from '../testing/toasts.ts';
import type { OutboxMail } from './use-mails.ts';

let network: Answerer;
const open = async (answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(answerFor(aUser('admin')));
  startPage('/');
  await render(<TestPage path="/" search="?tab=settings&view=mail" />);
  await expect.element(page.getByRole('heading', { name: 'Mail', exact: true })).toBeInTheDocument();
};
beforeAll(() => page.viewport(1440, 1000));
beforeEach(() => clearSession());
afterEach(async () => {
  await cleanup();
  network.stop();
});

const cells = (index: number) =>
  [...(document.querySelectorAll('.mails-row')[index]?.querySelectorAll('td') ?? [])].map((cell) => cell.textContent);
const drawn = () => document.querySelectorAll('.mails-row').length;
const only = (...mails: OutboxMail[]): CallReply<'listMails'> => ({
  goes_to: 'server',
  counts: {
    waiting: mails.filter(({ state }) => state === 'waiting').length,
    sent: mails.filter(({ state }) => state === 'sent').length,
    failed: mails.filter(({ state }) => state === 'failed').length,
  },
  mails,
  next: null,
});
const waiting = aMail(2, {
  state: 'waiting',
  sent_at: null,
  next_try_at: '2026-11-20T00:09:30.000Z',
  tries: 3,
  last_error: 'The mail server cannot be reached (ECONNREFUSED).',
});
const failed = aMail(3, {
  subject: 'Bot paused',
  state: 'failed',
  sent_at: null,
  tries: 20,
  last_error: 'The mail server refused the mail: 550 no such user',
});

describe('the outbox', () => {
  test('shows what was sent, what waits and why, and what has failed; only what was not sent can be tried again', async () => {
    await open((net) => net.on('listMails', only(failed, waiting, aMail(1))));
    await says('Mails go to the mail server of this installation.');
    await says(/Of the last 30 days: 1 sent, 1 waiting, 1 failed/u);
    expect(cells(0)).toEqual([
      '2026-11-20 00:03:00',
      'person3@flotilla.example',
      'Bot paused',
      'failed20 tries: The mail server refused the mail: 550 no such user',
      'Try Again',
    ]);
    expect(cells(1)[3]).toBe('waiting3 tries: The mail server cannot be reached (ECONNREFUSED). Next try at 00:09:30 UTC.');
    expect(cells(2).slice(1)).toEqual(['person1@flotilla.example', 'Your role was changed', 'sent', '']);
    await says('3 mails');
    await expect.element(page.getByRole('link', { name: 'Mail', exact: true })).toHaveAttribute('aria-current', 'page');
  });

  test('says so while it loads, and when there is nothing', async () => {
    let release: (reply: CallReply<'listMails'>) => void = () => undefined;
    await open((net) => net.on('listMails', () => new Promise((resolve) => (release = resolve))));
    await expect.element(page.getByRole('status').filter({ hasText: 'Loading mails' })).toBeInTheDocument();
    await expect.poll(() => network.of('listMails').length).toBe(1);
    release(only());
    await says('No mails yet');
    expect(drawn()).toBe(0);
  });

  test('without a mail server it says where mails go instead', async () => {
    await open((net) => net.on('listMails', { ...only(aMail(1)), goes_to: 'files' }));
    await says('No mail server is set up: mails are written to files in the mails folder of this installation.');
  });

  test('a failed load says why, and is tried again', async () => {
    await open((net) => net.on('listMails', problem(403, 'Admin access required')));
    await says('Failed to load the mails. Please try again.');
    await says('Admin access required');
    network.on('listMails', only(aMail(1)));
    await button('Try Again').click();
    await expect.poll(drawn).toBe(1);
    expect(page.getByText('Failed to load the mails. Please try again.').elements()).toEqual([]);
  });

  test('can be narrowed to one state', async () => {
    const answer = ({ query }: ArrivedCall) =>
      query['state'] === 'failed' ? only(failed) : query['state'] === 'waiting' ? only() : only(failed, aMail(1));
    await open((net) => net.on('listMails', answer));
    await expect.poll(drawn).toBe(2);
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Failed', exact: true }).click();
    await expect.poll(drawn).toBe(1);
    expect(network.of('listMails').at(-1)?.query).toEqual({ state: 'failed' });
    await page.getByRole('combobox', { name: 'State' }).click();
    await page.getByRole('option', { name: 'Waiting', exact: true }).click();
    await says('No mail is waiting');
  });

  test('many come fifty at a time', async () => {
    const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => aMail(from - i));
    const answer = ({ query }: ArrivedCall): CallReply<'listMails'> =>
      query['before'] === idOf(4) ? { ...only(...numbers(3, 3)), next: null } : { ...only(...numbers(53, 50)), next: idOf(4) };
    await open((net) => net.on('listMails', answer));
    await says('50 mails, older ones not loaded');
    await button('Older').click();
    await says('53 mails');
    expect(cells(52)[1]).toBe('person1@flotilla.example');
    expect(button('Older').elements()).toEqual([]);
  });
});

describe('trying again', () => {
  test('is busy until the list is there again, and says what happens', async () => {
    holdMoments(2000);
    let release: (reply: CallReply<'retryMail'>) => void = () => undefined;
    await open((net) => net.on('listMails', only(failed)).on('retryMail', () => new Promise((resolve) => (release = resolve))));
    const again = button('Try Again: mail to person3@flotilla.example');
    await again.click();
    await expect.element(again).toBeDisabled();
    network.on('listMails', only({ ...failed, state: 'waiting', tries: 0, last_error: null, next_try_at: '2026-11-20T00:10:00.000Z' }));
    release({ status: 'The mail is tried again within seconds' });
    await says('The mail to person3@flotilla.example is tried again within seconds');
    await expect.poll(() => cells(0)[3]).toBe('waiting');
    expect(network.of('retryMail').map(({ path }) => path)).toEqual([`/mails/${failed.id}/retry`]);
  });

  test('while a mail waits the list follows it', async () => {
    await open((net) => net.on('listMails', only(waiting)));
    await expect.poll(() => cells(0)[3]).toContain('waiting');
    network.on('listMails', only({ ...waiting, state: 'sent', sent_at: '2026-11-20T00:09:31.000Z', next_try_at: null }));
    await expect.poll(() => cells(0)[3]).toBe('sent');
  });

  test('that fails says why', async () => {
    await open((net) => net.on('listMails', only(failed)).on('retryMail', problem(409, 'This mail was sent already')));
    await expectToast('The mail could not be tried again: This mail was sent already', () =>
      button('Try Again: mail to person3@flotilla.example').click(),
    );
  });
});

describe('the test mail', () => {
  test('is busy, then says to whom it was handed on', async () => {
    let release: (reply: CallReply<'sendTestMail'>) => void = () => undefined;
    await open((net) => net.on('sendTestMail', () => new Promise((resolve) => (release = resolve))));
    await button('Send Test Mail').click();
    await expect.element(button('Sending...')).toBeDisabled();
    release({ recipient: 'admin@flotilla.example', error: null });
    await says('The mail server has taken the test mail to admin@flotilla.example.');
    await expect.element(button('Send Test Mail')).toBeEnabled();
  });

  test.each([
    [
      'the mail server says no',
      { recipient: 'admin@flotilla.example', error: 'The mail server refused the user name or the password (535).' },
    ],
    ['it was asked for too often', problem(429, 'Too many requests. Please try again later.')],
    ['the server is gone', noAnswer],
  ] as const)('says why it was not sent: %s', async (_, answer) => {
    await open((net) => net.on('sendTestMail', answer));
    await button('Send Test Mail').click();
    await says('The test mail was not sent.');
    await says(/refused the user name|Too many requests|Unable to connect/u);
  });
});

test('for others there is no outbox, and nothing is asked', async () => {
  network = answerFor(aUser('operator'));
  startPage('/');
  await render(<TestPage path="/" search="?tab=settings&view=mail" />);
  await expect.element(page.getByRole('tab', { name: 'Status' })).toBeVisible();
  expect(network.of('listMails')).toEqual([]);
});

test.each([390, 1024])('at %d px nothing is wider than the window, however long an address or a reason is', async (width) => {
  await page.viewport(width, 900);
  try {
    const long = `${'bartholomew.featherstonehaugh-'.repeat(6)}@${'harbour-'.repeat(10)}trading.example`;
    await open((net) => net.on('listMails', only({ ...failed, recipient: long, last_error: 'x'.repeat(200) }, waiting, aMail(1))));
    await expect.poll(drawn).toBe(3);
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(width);
    const wider = [...document.querySelectorAll('.mails *')].filter((element) => element.getBoundingClientRect().right > width);
    expect(wider.map(({ className }) => className)).toEqual([]);
  } finally {
    await page.viewport(1440, 1000);
  }
});
