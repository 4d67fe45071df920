import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { Answerer } from '../testing/answerer.ts';
import { problem } from '../testing/answerer.ts';
import { aBot, asMonitored } from '../testing/samples/bots.ts';
import { someCandles } from '../testing/samples/monitoring.ts';
import { aUser } from '../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../testing/test-page.tsx';

const candles = someCandles(60, 105).candles;
const at = (place: number) => new Date(candles.at(place)?.timestamp ?? 0).toISOString();
const refused = (place: number, gate: string) => ({ candle_time: at(place), action: 'none', gate, direction: 'long' }) as const;
const marks = [
  refused(-30, 'slots-full'),
  { candle_time: at(-25), action: 'enter', gate: null, direction: 'long' } as const,
  { candle_time: at(-20), action: 'exit', gate: null, direction: null } as const,
  refused(-10, 'locked'),
];

let network: Answerer;
const open = async (mayChange = true, answer: { marks: typeof marks } | ReturnType<typeof problem> = { marks }) => {
  network = answerFor(aUser())
    .on('availableBots', { data: [{ ...asMonitored(aBot(1)), may_change: mayChange }] })
    .on('botDecisionMarks', answer)
    .on('botDecisions', { from: at(0), to: at(-1), decisions: [], next: null, funnels: null, nearest: null });
  startPage('/');
  return render(<TestPage path="/" />);
};
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
});
const strip = () => page.getByRole('group', { name: /^Decisions in sight/u });
const address = () => expect.element(page.getByTestId('address'));

describe('ADD-bot-decision-marks', () => {
  test('under the candles are entries, exits and refused signals, from left to right, asked for once', async () => {
    await open();
    await expect.element(page.getByText('Decisions in sight: 1 entered, 1 left by a signal, 2 refused')).toBeVisible();
    const drawn = strip().getByRole('button').elements();
    expect(drawn.map((mark) => mark.getAttribute('aria-label')?.slice(17))).toEqual([
      'No entry in BTC/USDT long: no free slot',
      'Entered BTC/USDT long',
      'Left BTC/USDT',
      'No entry in BTC/USDT long: the pair is locked for now',
    ]);
    const lefts = drawn.map((mark) => mark.getBoundingClientRect().left);
    expect(lefts).toEqual(lefts.toSorted((a, b) => a - b));
    expect(new Set(lefts).size).toBe(4);
    expect(network.of('botDecisionMarks').map(({ query }) => query)).toEqual([{ symbol: 'BTC/USDT', from: at(0) }]);
  });

  test('the arrow keys move along the refused signals, and Enter opens why, for that check', async () => {
    await open();
    await expect.element(strip().getByRole('button').first()).toBeVisible();
    (strip().element() as HTMLElement).focus();
    await userEvent.keyboard('{ArrowLeft}');
    await expect.element(page.getByRole('status').filter({ hasText: 'the pair is locked for now' })).toBeVisible();
    await userEvent.keyboard('{ArrowLeft}{ArrowLeft}');
    await expect.element(page.getByRole('status').filter({ hasText: 'no free slot' })).toBeVisible();
    await userEvent.keyboard('{ArrowRight}{Enter}');
    await address().toHaveAttribute('data-search', expect.stringMatching(/why=.*symbol=BTC%2FUSDT&gate=locked/u));
  });

  test('a press beside a mark says the nearest one and opens nothing; far from all it says none', async () => {
    await open();
    await expect.element(strip().getByRole('button').first()).toBeVisible();
    const mark = strip().getByRole('button').last().element().getBoundingClientRect();
    const press = (clientX: number) =>
      strip()
        .element()
        .dispatchEvent(new MouseEvent('click', { bubbles: true, clientX }));
    press(mark.right + 10);
    await expect.element(page.getByRole('status').filter({ hasText: 'the pair is locked for now' })).toBeVisible();
    press(strip().getByRole('button').first().element().getBoundingClientRect().left - 60);
    await expect.element(page.getByText('Decisions in sight: 1 entered', { exact: false })).toBeVisible();
    await expect.element(page.getByTestId('address')).not.toHaveAttribute('data-search', expect.stringContaining('why='));
  });

  test('a link asks why there was no trade; a failure is said', async () => {
    await open(true, problem(500));
    await expect.element(page.getByText('The decisions could not be loaded.')).toBeVisible();
    await page.getByRole('button', { name: 'Why no trade?' }).click();
    await address().toHaveAttribute('data-search', expect.stringContaining('why='));
  });

  test("decisions are the owner's: who only watches a bot is shown none, and none are asked for", async () => {
    await open(false);
    await expect.element(page.getByTestId('readout')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Why no trade?' })).not.toBeInTheDocument();
    expect(network.of('botDecisionMarks')).toEqual([]);
  });
});
