import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { connectionStore } from '../api/connection.ts';
import { noAnswer, problem } from '../testing/answerer.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';
import { pricesLateAfterMs } from '../live/price-age.ts';
import { connectionState, lateAfterMs } from './connection-state.ts';

const live = (tickAge: number | null, status: 'active' | 'paused' = 'active') => ({
  time: '2026-11-20T12:00:00.000Z',
  bots: [
    {
      bot_id: '1',
      nickname: 'Bot',
      status,
      mode: 'paper' as const,
      running: true,
      open_trades: 0,
      unrealized_pnl: 0,
      last_tick_at: tickAge === null ? null : new Date(Date.UTC(2026, 10, 20, 12) - tickAge).toISOString(),
      last_error: null,
    },
  ],
});

const anAlarm = (number: number, changes: { acknowledged_at?: string } = {}) => ({
  id: `00000000-0000-4000-8000-00000000000${number}`,
  kind: 'limit-reached',
  level: 'bot' as const,
  target_id: null,
  title: 'A limit is reached',
  what: 'The bot has lost its limit of a day.',
  count: 1,
  advice: 'Look at it.',
  owner: null,
  raised_at: '2026-11-20T00:00:00.000Z',
  acknowledged_at: null,
  ...changes,
});

describe('what the pill says', () => {
  const now = 1_000_000;
  const well = { answeredAt: now - 1000, failingSince: null, failure: null };
  test.each([
    ['nothing before the first answer', { answeredAt: null, failingSince: null, failure: null }, live(500), null],
    ['connected, with the age', well, live(500), ['connected', 'Connected', 'data 1s old']],
    ['late after three missed polls', { ...well, answeredAt: now - lateAfterMs - 1 }, live(500), ['late', 'Late', 'data 15s old']],
    [
      'no connection',
      { answeredAt: now - 34_000, failingSince: now - 30_000, failure: 'no-answer' },
      live(500),
      ['lost', 'No connection', 'data 34s old'],
    ],
    [
      'a server that is broken',
      { ...well, failingSince: now, failure: 'server-error' },
      live(500),
      ['lost', 'Server error', 'data 1s old'],
    ],
    ['late prices, though the server answers', well, live(pricesLateAfterMs), ['late', 'Late', 'prices 1m 1s old']],
    ['no late prices where no bot runs', well, live(pricesLateAfterMs * 9, 'paused'), ['connected', 'Connected', 'data 1s old']],
    ['no late prices before the first one', well, live(null), ['connected', 'Connected', 'data 1s old']],
  ] as const)('%s', (_, connection, status, said) => {
    const state = connectionState(connection, status, now);
    expect(state === null ? null : [state.kind, state.word, state.detail]).toEqual(said);
  });
});

describe('an outage', () => {
  let network: ReturnType<typeof answerFor>;
  beforeAll(() => page.viewport(1440, 1000));
  beforeEach(async () => {
    connectionStore.setState({ answeredAt: null, failingSince: null, failure: null });
    network = answerFor(aUser());
    startPage('/');
    await render(<TestPage path="/" search="?tab=bot_control" />);
    await expect.element(page.getByText('Connected')).toBeVisible();
  });
  afterEach(async () => {
    await cleanup();
    network.stop();
  });

  test('is said in the header and the title, greys the panels, signs nobody out, and is over by itself', async () => {
    network.on('liveStatus', noAnswer);
    await expect.element(page.getByRole('alert').filter({ hasText: 'No connection' })).toBeVisible();
    expect(document.title).toBe('No connection · Flotilla');
    expect(document.querySelector('.shell-lost')).not.toBeNull();
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-path', '/');
    const listed = network.of('listBots').length;
    network.on('liveStatus', live(0));
    await expect.element(page.getByText('Connected')).toBeVisible();
    // What was loaded before the outage is loaded again.
    await expect.poll(() => network.of('listBots').length).toBeGreaterThan(listed);
    expect(document.title).toBe('Bots · Flotilla');
    network.on('listAlarms', [anAlarm(1), anAlarm(2, { acknowledged_at: '2026-11-20T00:01:00.000Z' })]);
    await expect.poll(() => document.title).toBe('(1) Bots · Flotilla');
  });

  test('a server that is broken is distinguished from one that is gone', async () => {
    network.on('liveStatus', problem(500));
    await expect.element(page.getByText('Server error')).toBeVisible();
  });
});

describe('a session', () => {
  let network: ReturnType<typeof answerFor>;
  afterEach(async () => {
    await cleanup();
    network.stop();
  });

  test('that the server ended says so at sign in', async () => {
    network = answerFor(aUser());
    startPage('/');
    await render(<TestPage path="/" />);
    await expect.element(page.getByText('Connected')).toBeVisible();
    window.dispatchEvent(new Event('auth:logout'));
    await expect.element(page.getByText('Your session has ended. Please sign in again.')).toBeVisible();
  });

  test('that never was is not said to have ended', async () => {
    const { promise: drawn, resolve: noteDrawn } = Promise.withResolvers<void>();
    network = answerFor(null)
      .on('getMe', problem(401))
      .on('refreshSession', () => drawn.then(() => problem(401)));
    startPage('/');
    await render(<TestPage path="/" />);
    await expect.element(page.getByText('Loading...')).toBeVisible();
    noteDrawn();
    await expect.element(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
    await expect.element(page.getByText('session has ended', { exact: false })).not.toBeInTheDocument();
  });

  test('that was left on purpose says nothing', async () => {
    network = answerFor(aUser());
    startPage('/');
    await render(<TestPage path="/" />);
    await page.getByRole('button', { name: 'Logout' }).click();
    await expect.element(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
    await expect.element(page.getByText('session has ended', { exact: false })).not.toBeInTheDocument();
  });

  test('that could not be asked for is asked for again, and found', async () => {
    network = answerFor(null).on('getMe', noAnswer);
    startPage('/');
    await render(<TestPage path="/" search="?tab=bot_control" />);
    await expect.element(page.getByText('The server cannot be reached.', { exact: false })).toBeVisible();
    network.on('getMe', aUser());
    await expect.element(page.getByRole('tab', { name: 'Bots' }).first()).toHaveAttribute('aria-selected', 'true');
  });
});
