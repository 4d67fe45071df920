import type { CallReply } from '#contract/client.ts';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import type { Answerer, ArrivedCall } from '../../../testing/answerer.ts';
import { problem } from '../../../testing/answerer.ts';
import { typeAtOnce } from '../../../testing/on-page.ts';
import { aBot, aBotConfig, aHindsight } from '../../../testing/samples/bots.ts';
import { idOf } from '../../../testing/samples/ids.ts';
import { aStrategy } from '../../../testing/samples/strategies.ts';
import { aUser } from '../../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../../testing/test-page.tsx';
import { expectToast } from '../../../testing/toasts.ts';

type Reply = CallReply<'botHindsight'>;

let network: Answerer;
beforeAll(() => page.viewport(1440, 1100));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const bot = aBot(1, { trading_pairs: ['BTC/USDT'], stake_amount: 500, version: 7 });
const open = async (what: 'new' | 'existing', answers: (network: Answerer) => Answerer = (same) => same) => {
  network = answers(
    answerFor(aUser('trader'))
      .on('listBots', [bot])
      .on('getBot', aBotConfig(bot))
      .on('listStrategies', { strategies: [aStrategy(1)] })
      .on('listExchanges', { exchanges: [{ id: 'sandbox', name: 'Sandbox' }] }),
  );
  startPage('/');
  await render(<TestPage path="/" search={`?tab=bot_control&view=configure${what === 'new' ? '' : `&bot=${idOf(101)}`}`} />);
};
const line = () => page.getByRole('status', { name: 'The last 30 days with these settings' });
const says = (text: string) => expect.poll(() => line().element().textContent).toContain(text);
const stake = () => page.getByRole('textbox', { name: 'Stake Amount' });
const answerOf = () => document.querySelector('.bot-hindsight-answer');
const stakeOf = ({ body }: ArrivedCall) => (body as { stake_amount: number }).stake_amount;

/** Answers the stake that is asked about as its profit, when the test lets it. */
function answersLater() {
  const waiting = new Map<number, () => void>();
  const answer = (call: ArrivedCall) =>
    new Promise<Reply>((resolve) => waiting.set(stakeOf(call), () => resolve(aHindsight({ profit: stakeOf(call) }))));
  return { answer, release: (asked: number) => waiting.get(asked)?.() };
}

describe('the last 30 days', () => {
  test('of a bot: gain with its sign, trades, share won and max drawdown; with what it was calculated, and what it does not say', async () => {
    await open('existing');
    await says('These settings, last 30 days: +1.82% (+$18.20), 23 trades, 60.9% won, max drawdown 2.40%');
    await says(
      'A backtest from 2026-10-23 to 2026-11-22 UTC with 5m candles of Sandbox, $1000.00 of capital and a fee of 0.1% on each fill. Past results say nothing about the next month.',
    );
    await expect.element(line().getByRole('img', { name: 'PnL of the 30 days +$18.20' })).toBeVisible();
    await expect.element(line()).toHaveAttribute('aria-busy', 'false');
    expect(network.of('botHindsight').map(({ path, body }) => [path, body])).toEqual([
      [
        `/bots/${idOf(101)}/hindsight`,
        {
          exchange_id: 'sandbox',
          margin_mode: 'spot',
          stake_currency: 'USDT',
          stake_amount: 500,
          max_open_trades: 3,
          leverage: 1,
          trading_pairs: ['BTC/USDT'],
          leverage_mode: 'isolated',
        },
      ],
    ]);
  });

  test('of a new bot it asks with what would be created; whose it is, its name and its mode do not count', async () => {
    await open('new');
    await says('+1.82%');
    expect(network.of('newBotHindsight').at(-1)?.body).toEqual({
      strategy_id: aStrategy(1).id,
      exchange_id: 'sandbox',
      margin_mode: 'spot',
      stake_currency: 'USDT',
      stake_amount: 100,
      max_open_trades: 3,
      leverage: 1,
      trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'],
      leverage_mode: 'isolated',
    });
    const asked = network.of('newBotHindsight').length;
    await page.getByRole('textbox', { name: 'Nickname' }).fill('Another');
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(network.of('newBotHindsight')).toHaveLength(asked);
  });

  test('entries are asked about when they rest, not while they are typed', async () => {
    await open('existing');
    await says('+1.82%');
    // The clock of the page is turned by hand: how fast this machine types does not matter.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      for (const text of ['6', '65', '650']) {
        typeAtOnce(stake(), text);
        await vi.advanceTimersByTimeAsync(590);
      }
      expect(network.of('botHindsight').map(stakeOf)).toEqual([500]);
      await vi.advanceTimersByTimeAsync(10);
    } finally {
      vi.useRealTimers();
    }
    await expect.poll(() => network.of('botHindsight').map(stakeOf)).toEqual([500, 650]);
  });

  test('while other entries are calculated the old line is dimmed; an answer that comes late for older entries is not shown', async () => {
    const later = answersLater();
    await open('existing', (net) => net.on('botHindsight', later.answer));
    await expect.poll(() => network.of('botHindsight').length).toBe(1);
    later.release(500);
    await says('+$500.00');
    expect(answerOf()?.hasAttribute('data-old')).toBe(false);
    await stake().fill('600');
    // Dimmed from the first key on, before anything is asked.
    expect(answerOf()?.hasAttribute('data-old')).toBe(true);
    await says('Calculating the last 30 days with these settings ...');
    await expect.element(line()).toHaveAttribute('aria-busy', 'true');
    await expect.poll(() => network.of('botHindsight').map(stakeOf)).toEqual([500, 600]);
    await stake().fill('700');
    await expect.poll(() => network.of('botHindsight').map(stakeOf)).toEqual([500, 600, 700]);
    later.release(600);
    await new Promise((resolve) => setTimeout(resolve, 100));
    await says('+$500.00');
    expect(answerOf()?.hasAttribute('data-old')).toBe(true);
    later.release(700);
    await says('+$700.00');
    expect(answerOf()?.hasAttribute('data-old')).toBe(false);
    // Back at what was asked before, its answer is there at once.
    await stake().fill('500');
    await says('+$500.00');
    await expect.poll(() => answerOf()?.hasAttribute('data-old')).toBe(false);
    expect(network.of('botHindsight')).toHaveLength(3);
  });

  test('saving waits for nothing', async () => {
    const later = answersLater();
    await open('existing', (net) => net.on('botHindsight', later.answer));
    await stake().fill('650');
    const saved = { ...bot, stake_amount: 650, version: 8 };
    network.on('updateBot', saved).on('getBot', aBotConfig(saved));
    await expectToast('Bot updated successfully', () => page.getByRole('button', { name: 'Update Bot' }).click());
  });

  test('without a trade it says so and why', async () => {
    const none = { trades: 0, profit: 0, profit_ratio: 0, win_rate: 0, drawdown_ratio: 0 };
    await open('existing', (net) =>
      net.on('botHindsight', aHindsight({ ...none, no_trades: 'No trades: the strategy gave no signal to enter.' })),
    );
    await says('No trade in the last 30 days. The strategy gave no signal to enter.');
    await expect.element(line().getByRole('img')).not.toBeInTheDocument();
  });

  test('OP-59 a bot that would have paused itself, or run out of money, is said to have', async () => {
    const stopped = 'Stopped trading on 2026-11-01: the balance of 4.00 USDT is below the stake of 100.00 USDT.';
    await open('existing', (net) => net.on('botHindsight', aHindsight({ paused_at: Date.UTC(2026, 9, 25, 3), stopped })));
    await says(
      `${stopped} On 2026-10-25 the bot would have paused itself after losses in a row; the figures continue as if it had not. A backtest from 2026-10-23`,
    );
  });

  test('the buttons below stay where they are while it is calculated', async () => {
    const later = answersLater();
    await open('existing', (net) => net.on('botHindsight', later.answer));
    await expect.poll(() => network.of('botHindsight').length).toBe(1);
    later.release(500);
    await says('+$500.00');
    const top = () => page.getByRole('button', { name: 'Update Bot' }).element().getBoundingClientRect().top;
    await stake().fill('600');
    await says('Calculating');
    const whileCalculated = top();
    await expect.poll(() => network.of('botHindsight').length).toBe(2);
    later.release(600);
    await says('+$600.00');
    expect(top()).toBe(whileCalculated);
  });

  test('entries that cannot be saved are not asked about, and the line says what it waits for', async () => {
    await open('new');
    await says('+1.82%');
    const asked = network.of('newBotHindsight').length;
    await stake().fill('');
    await says('Complete the entries to see what they would have done over the last 30 days.');
    expect(answerOf()?.hasAttribute('data-old')).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(network.of('newBotHindsight')).toHaveLength(asked);
  });

  test('candles that are on their way are asked for again; what cannot be calculated says why', async () => {
    const replies: Reply[] = [
      { state: 'downloading', why: 'The candles of 1 of 3 pairs are there.', figures: null },
      { state: 'unavailable', why: 'The exchange does not give the candles of the last 30 days.', figures: null },
    ];
    await open('existing', (net) => net.on('botHindsight', () => replies.shift() ?? aHindsight()));
    await says('Downloading the candles of the last 30 days. The candles of 1 of 3 pairs are there.');
    await says('The last 30 days cannot be calculated. The exchange does not give the candles of the last 30 days.');
    expect(answerOf()).toBeNull();
  });

  test('a refusal is said in its own words; one that another page has overtaken is asked again', async () => {
    const replies = [problem(409, 'A newer request has replaced this one'), problem(502, 'Exchange is not reachable. Please try again.')];
    await open('existing', (net) => net.on('botHindsight', () => replies.shift() ?? aHindsight()));
    await says('Another page of yours asks at the moment.');
    await says('The last 30 days cannot be calculated: Exchange is not reachable. Please try again.');
    await expect.element(page.getByRole('button', { name: 'Update Bot' })).toBeEnabled();
  });
});
