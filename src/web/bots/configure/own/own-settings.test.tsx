import { afterEach, beforeAll, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { Bot } from '#contract/bots.ts';
import { texts } from '#contract/errors.ts';
import type { Answerer } from '../../../testing/answerer.ts';
import { problem } from '../../../testing/answerer.ts';
import { aBot, aBotConfig } from '../../../testing/samples/bots.ts';
import { idOf } from '../../../testing/samples/ids.ts';
import { aStrategy, someDetails } from '../../../testing/samples/strategies.ts';
import { aUser } from '../../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../../testing/test-page.tsx';

let network: Answerer;
beforeAll(() => page.viewport(1440, 1400));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const trailing = { trailing_stop: true, trailing_stop_positive: 0.015, trailing_stop_positive_offset: 0.03 };
const open = async (bot: number | null, stored: Partial<Bot> = {}, answers: (network: Answerer) => Answerer = (same) => same) => {
  const known = aBot(1, { strategy_id: idOf(51), version: 7, ...stored });
  network = answers(
    answerFor(aUser('trader'))
      .on('listBots', [known])
      .on('getBot', aBotConfig(known))
      .on('listStrategies', { strategies: [aStrategy(1, { ...trailing, minimal_roi: { 0: 0.02, 60: 0.01 } }), aStrategy(2)] })
      .on('strategyDetails', someDetails())
      .on('listExchanges', { exchanges: [{ id: 'sandbox', name: 'Sandbox' }] })
      .on('stakeCurrencies', { stake_currencies: ['USDT'] })
      .on('tradingPairs', { trading_pairs: ['BTC/USDT', 'ETH/USDT'] })
      .on('updateBot', known),
  );
  startPage('/');
  await render(<TestPage path="/" search={`?tab=bot_control&view=configure${bot === null ? '' : `&bot=${idOf(100 + bot)}`}`} />);
  await expect.element(section().getByText('Fast Period')).toBeVisible();
};
const section = () => page.getByRole('group', { name: 'Strategy Settings' });
const press = (name: string) => page.getByRole('button', { name, exact: true }).click();
const field = (name: string) => page.getByRole('textbox', { name, exact: true });
const row = (title: string) =>
  section()
    .getByRole('listitem')
    .elements()
    .find((item) => item.querySelector('.bot-own-name')?.textContent.startsWith(title) === true);
const body = () => network.of('updateBot').at(-1)?.body as Record<string, unknown>;

test('OP-32 every setting stands beside the strategy’s value; a bot without its own inherits all', async () => {
  await open(1);
  const rows = section()
    .getByRole('listitem')
    .elements()
    .map((item) => [...item.children].slice(0, 3).map((child) => child.textContent));
  expect(rows).toEqual([
    ['Timeframe', '5m', 'inherited'],
    ['Stop Loss', '-10.00%', 'inherited'],
    ['Trailing Stop', '1.50% behind, from 3.00% profit, before as far as the stop loss', 'inherited'],
    ['Minimal ROI', '2.00% at once, 1.00% after 1h 0m', 'inherited'],
    ['Risk Reward Ratio', 'none', 'inherited'],
    ['Max Consecutive Losses', '5', 'inherited'],
    ['Entry Order', 'limit', 'inherited'],
    ['Exit Order', 'limit', 'inherited'],
    ['Stop Order', 'market', 'inherited'],
    ['Entry Stays', 'GTC', 'inherited'],
    ['Exit Stays', 'GTC', 'inherited'],
    ['Fast Period', '12 candles', 'inherited'],
    ['Squeeze', 'off', 'inherited'],
  ]);
  await expect
    .element(section().getByText('Everything is inherited: what an admin changes of the strategy reaches this bot.'))
    .toBeVisible();
});

test('OP-32 own values begin with the strategy’s, are marked, counted and sent, and one press gives each back', async () => {
  await open(1);
  await press('Set own Stop Loss');
  await expect.element(field('Own Stop Loss')).toHaveValue('10');
  await field('Own Stop Loss').fill('2,5');
  await press('Set own Fast Period');
  await field('Own Fast Period').fill('99');
  await userEvent.tab();
  await expect.element(field('Own Fast Period')).toHaveValue('25'); // the nearest that is allowed
  await page.getByRole('slider', { name: 'Own Fast Period, slider' }).fill('8');
  await expect.element(field('Own Fast Period')).toHaveValue('8');
  await press('Set own Trailing Stop');
  await field('Own Trailing Stop: From a profit of').fill('4');
  await expect.element(section().getByText('3 own settings.')).toBeVisible();
  expect(row('Stop Loss')?.textContent).toContain('was inherited');
  expect(row('Stop Loss')?.textContent).toContain('Open trades keep their stop');
  await expect.element(page.getByText('3 changes, applies from the next candle')).toBeVisible();
  await press('Update Bot');
  await expect.poll(() => network.of('updateBot').length).toBe(1);
  expect(body()['own_settings']).toEqual({
    stoploss: -0.025,
    parameters: { fastPeriod: 8 },
    trailing: { ...trailing, trailing_stop_positive_offset: 0.04, trailing_only_offset_is_reached: false },
  });
  expect(network.of('updateBot').at(-1)?.headers.get('if-match')).toBe('"7"');
});

test('OP-32 what is stored as the bot’s own is shown so, and is inherited again by one press, or all at once', async () => {
  const own_settings: Bot['own_settings'] = {
    stoploss: -0.07,
    timeframe: '1h',
    parameters: { fastPeriod: 8 },
    order_types: { entry: 'market' },
  };
  await open(1, { own_settings });
  await expect.element(section().getByText('4 own settings.')).toBeVisible();
  await expect.element(field('Own Stop Loss')).toHaveValue('7');
  await press('Inherit Stop Loss');
  expect(row('Stop Loss')?.textContent).toContain('was 7%');
  await press('Update Bot');
  await expect.poll(() => network.of('updateBot').length).toBe(1);
  expect(body()['own_settings']).toEqual({ stoploss: null });
  await press('Inherit All');
  await press('Update Bot');
  await expect.poll(() => network.of('updateBot').length).toBe(2);
  expect(body()['own_settings']).toMatchObject({ timeframe: null, parameters: { fastPeriod: null }, order_types: { entry: null } });
});

test('a setting that contradicts another is said at its place and sent nowhere; what was typed stays', async () => {
  await open(1);
  await press('Set own Minimal ROI');
  await field('Own Minimal ROI: profit 2').fill('9');
  await press('Update Bot');
  await expect.element(page.getByRole('alert')).toHaveTextContent('ROI must not rise with time');
  expect(network.of('updateBot')).toEqual([]);
  await expect.element(field('Own Minimal ROI: profit 2')).toHaveValue('9');
  expect(document.activeElement?.closest('[data-field]')?.getAttribute('data-field')).toBe('own.minimal_roi');
  await press('Remove own ROI entry 2');
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
});

test('what somebody else has changed meanwhile is said, and nothing that was typed is lost', async () => {
  await open(1, {}, (net) => net.on('updateBot', problem(409, texts.changedMeanwhile)));
  await press('Set own Stop Loss');
  await field('Own Stop Loss').fill('3');
  await press('Update Bot');
  await expect.element(page.getByText('Load Newest Values')).toBeVisible();
  await expect.element(field('Own Stop Loss')).toHaveValue('3');
});

test('a parameter that the strategy has no longer is named, and can be removed', async () => {
  await open(1, { own_settings: { parameters: { gone: 3 } }, own_settings_ignored: ['gone'] });
  expect(row('gone')?.textContent).toContain('The strategy has no such parameter any more: it counts for nothing.');
  await press('Inherit gone');
  await press('Update Bot');
  await expect.poll(() => network.of('updateBot').length).toBe(1);
  expect(body()['own_settings']).toEqual({ parameters: { gone: null } });
});

test('a new bot may have own values; another strategy takes its parameters away and leaves the rest', async () => {
  await open(null);
  await press('Set own Stop Loss');
  await press('Set own Fast Period');
  await page.getByRole('combobox', { name: 'Strategy', exact: true }).click();
  await page.getByRole('option', { name: 'Strategy 2' }).click();
  await expect.element(section().getByText('1 own setting.')).toBeVisible();
  network.on('createBot', aBot(2));
  await press('Create Bot');
  await expect.poll(() => network.of('createBot').length).toBe(1);
  expect(network.of('createBot')[0]?.body).toMatchObject({ own_settings: { stoploss: -0.1 } });
});

test('parameters that do not load are tried again; the rest can be set', async () => {
  const known = aBot(1, { strategy_id: idOf(51) });
  network = answerFor(aUser('trader'))
    .on('listBots', [known])
    .on('getBot', aBotConfig(known))
    .on('listStrategies', { strategies: [aStrategy(1)] })
    .on('strategyDetails', problem(404, 'Strategy not found'));
  startPage('/');
  await render(<TestPage path="/" search={`?tab=bot_control&view=configure&bot=${known.id}`} />);
  await expect.element(section().getByText('The parameters could not be loaded.')).toBeVisible();
  await press('Set own Stop Loss');
  network.on('strategyDetails', someDetails());
  await press('Try Again');
  await expect.element(section().getByText('Fast Period')).toBeVisible();
});

test('OP-63 the last 30 days are asked with the own settings that are typed', async () => {
  await open(1);
  await press('Set own Stop Loss');
  await field('Own Stop Loss').fill('1');
  await expect.poll(() => network.of('botHindsight').at(-1)?.body).toMatchObject({ own_settings: { stoploss: -0.01 } });
});

test('the card of a bot counts its own settings, and names what its strategy no longer takes', async () => {
  network = answerFor(aUser('trader')).on('listBots', [
    aBot(1, { own_settings: { stoploss: -0.07, parameters: { a: 1, b: 2 } }, own_settings_ignored: ['b'] }),
  ]);
  startPage('/');
  await render(<TestPage path="/" search="?tab=bot_control" />);
  await expect.element(page.getByText(', 3 own settings')).toBeVisible();
  await expect.element(page.getByText('Its strategy no longer takes its own B: the value of the strategy counts.')).toBeVisible();
});

test('on a narrow screen nothing is wider than it', async () => {
  await page.viewport(390, 900);
  await open(1);
  for (const name of ['Timeframe', 'Trailing Stop', 'Minimal ROI', 'Fast Period']) await press(`Set own ${name}`);
  const wide = [...document.querySelectorAll('.bot-own *')].filter((element) => element.getBoundingClientRect().right > 391);
  expect(wide).toEqual([]);
  await page.viewport(1440, 1400);
});
