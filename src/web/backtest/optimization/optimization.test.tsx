import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page } from 'vitest/browser';
import { addressStore, changeAddress } from '../../address/address.ts';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { expectNoFurtherTry } from '../../testing/cancelled-question.ts';
import { aBot, aBotConfig } from '../../testing/samples/bots.ts';
import { idOf } from '../../testing/samples/ids.ts';
import { aStrategy } from '../../testing/samples/strategies.ts';
import { aStudy, someDimensions, someEpochs, studyFacts, studyReply } from '../../testing/samples/studies.ts';
import { aUser } from '../../testing/samples/users.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';
import { openPlanFormOf } from '../portfolio/portfolio-store.ts';
import { fillSearch } from './search-form.ts';

const strategy = aStrategy(1);

let network: Answerer;
beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  fillSearch({ ranges: {}, spaces: ['buy', 'stoploss'], epochs: 500, sealedPercent: 20, seed: '', minTrades: 10 });
});

const open = async (search = '', answers: (network: Answerer) => Answerer = (same) => same, role: 'trader' | 'investor' = 'trader') => {
  network = answers(
    answerFor(aUser(role))
      .on('listStrategies', { strategies: [strategy] })
      .on('listExchanges', { exchanges: [{ id: 'sandbox', name: 'Sandbox' }] })
      .on('tradingPairs', { trading_pairs: ['BTC/USDT', 'ETH/USDT', 'SOL/USDT'] })
      .on('studySpace', { dimensions: someDimensions })
      .on('listStudies', { studies: [] })
      .on('listBots', []),
  );
  startPage('/');
  openPlanFormOf(String(Math.random())); // somebody else's before
  await render(<TestPage path="/" search={`?tab=backtest&view=optimization${search}`} />);
};

const shown = `&run=${idOf(800)}`;
const findings = async (options: axe.RunOptions = {}): Promise<string[]> => {
  const { violations } = await axe.run(document.body, options);
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
};

describe('a new study', () => {
  test('without any it says so, what it still needs, and what is searched', async () => {
    await open();
    await expect.element(page.getByText('No studies yet')).toBeVisible();
    await expect.element(page.getByText('Choose pairs first')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Start Study' })).toBeDisabled();
    await expect.element(page.getByRole('textbox', { name: 'Stop Loss (%), from' })).toHaveValue('-35');
    await expect.element(page.getByText('243,285 points')).toBeVisible(); // 21 x 35 x 331
    expect(await findings()).toEqual([]);
  });

  test('a filled form is sent as it says, in fractions, and the study is shown', async () => {
    await open('', (same) => same.on('startStudy', { id: idOf(800) }).on('study', ({ query }) => studyReply(query)));
    await page.getByRole('checkbox', { name: 'ETH/USDT' }).click();
    await page.getByRole('textbox', { name: 'Stop Loss (%), from' }).fill('-10');
    await page.getByRole('textbox', { name: 'Epochs' }).fill('80');
    await page.getByRole('textbox', { name: 'Seed' }).fill('42');
    const from = page.getByRole('textbox', { name: 'From (UTC)' });
    const day = (from.element() as HTMLInputElement).value;
    await from.fill(day.slice(0, -1));
    await page.getByRole('button', { name: 'Start Study' }).click();
    await expect.element(page.getByText('Write a day as 2026-11-23')).toBeVisible();
    expect(network.of('startStudy')).toEqual([]);
    await from.fill(day);
    await page.getByRole('button', { name: 'Start Study' }).click();
    await expect.element(page.getByText('Best Tries')).toBeVisible();
    expect(network.of('startStudy')[0]?.body).toMatchObject({
      strategy_id: strategy.id,
      plan: { pairs: ['ETH/USDT'], exchange: 'Sandbox' },
      search: {
        spaces: ['buy', 'stoploss'],
        ranges: [{ name: 'stoploss', min: -0.1, max: -0.02, step: 0.001 }],
        loss: 'SharpeHyperOptLossDaily',
        sampler: 'tpe',
        epochs: 80,
        min_trades: 10,
        seed: 42,
        early_stop: null,
        sealed_ratio: 0.2,
      },
    });
  });

  test.each([
    ['another study', { run: idOf(801) }],
    ['another tab', { tab: 'reports', view: null }],
  ])('leaves who has opened %s since it was asked for there, and says that it has started', async (_, opened) => {
    const answer = Promise.withResolvers<{ id: string }>();
    await open('', (same) =>
      same.on('startStudy', () => answer.promise).on('study', ({ query }) => studyReply(query, { study: aStudy({ id: idOf(801) }) })),
    );
    await page.getByRole('checkbox', { name: 'ETH/USDT' }).click();
    await page.getByRole('button', { name: 'Start Study' }).click();
    await expect.poll(() => network.of('startStudy').length).toBe(1);
    changeAddress(opened);
    const there = addressStore.getState().values;
    answer.resolve({ id: idOf(800) });
    await expect.element(page.getByText('The study has started')).toBeVisible();
    expect(addressStore.getState().values).toEqual(there);
  });

  test('a range upside down is said before it is sent, in the words of the server', async () => {
    await open();
    await page.getByRole('checkbox', { name: 'ETH/USDT' }).click();
    await expect.element(page.getByRole('button', { name: 'Start Study' })).toBeEnabled();
    await page.getByRole('textbox', { name: 'Stop Loss (%), to' }).fill('-40');
    await expect.element(page.getByText('The range of "stoploss" is upside down: it runs from -0.35 to -0.4.')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Start Study' })).toBeDisabled();
    await page.getByRole('textbox', { name: 'Epochs' }).fill('1');
    await expect.element(page.getByText('Epochs must be a whole number between 2 and 20000')).toBeVisible();
  });

  test('what the server refuses is said below the form, which stays', async () => {
    const sentence = 'This cannot be searched: The grid has about 10^30 points.';
    await open('', (same) => same.on('startStudy', problem(400, sentence)));
    await page.getByRole('checkbox', { name: 'ETH/USDT' }).click();
    await page.getByRole('button', { name: 'Start Study' }).click();
    await expect.element(page.getByText(sentence)).toBeVisible();
    await expect.element(page.getByRole('checkbox', { name: 'ETH/USDT' })).toBeChecked();
  });

  test('a list that cannot be loaded says so, and loads again; its studies are opened by a click', async () => {
    await open('', (same) => same.on('listStudies', problem(500, 'Something went wrong. Please try again.')));
    await expect.element(page.getByText('Failed to load studies')).toBeVisible();
    network.on('listStudies', { studies: [aStudy(), aStudy({ id: idOf(801), status: 'failed', best_loss: null, best_epoch: null })] });
    network.on('study', ({ query }) => studyReply(query));
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.element(page.getByRole('cell', { name: /^1\.52\s*Sharpe$/u })).toBeVisible();
    await page
      .getByRole('table', { name: 'Studies' })
      .getByRole('button', { name: /^EMA cross/u })
      .first()
      .click();
    await expect.element(page.getByText('Is It Luck?')).toBeVisible();
  });
});

describe('a study', () => {
  test('that waits or is prepared says what it is at, and is cancelled', async () => {
    const waiting = aStudy({ status: 'queued', epochs: 0, best_epoch: null, best_loss: null, started_at: null, finished_at: null });
    await open(shown, (same) =>
      same
        .on('study', { study: { ...waiting, step: 'ETH/USDT: Downloading candles 2026-08 (3 of 31 days)' }, details: null, epochs: [] })
        .on('cancelStudy', { id: idOf(800) }),
    );
    await expect.element(page.getByText('ETH/USDT: Downloading candles 2026-08 (3 of 31 days)')).toBeVisible();
    await expect.element(page.getByText('The tries will appear here.')).toBeVisible();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => network.of('cancelStudy').length).toBe(1);
  });

  test('that runs is followed: only new tries are loaded, and all of them are drawn', async () => {
    let count = 40;
    const running = () => aStudy({ status: 'running', epochs: count, epochs_wanted: 400, finished_at: null });
    await open(shown, (same) =>
      same.on('study', ({ query }) =>
        studyReply(query, { study: running(), epochs: someEpochs(count), details: studyFacts({ judgement: null }) }),
      ),
    );
    await expect.element(page.getByText('of 400, 10.0%')).toBeVisible();
    await expect.element(page.getByRole('img', { name: /^Profit and drawdown of 35 tries/u })).toBeVisible();
    await expect.element(page.getByText('when all tries are made')).toBeVisible();
    count = 80;
    await expect.element(page.getByRole('img', { name: /^Profit and drawdown of 71 tries; the best so far made /u })).toBeVisible();
    await expect.poll(() => network.of('study').map(({ query }) => query['after'])).toEqual(expect.arrayContaining(['0', '40', '80']));
    expect(await findings()).toEqual([]);
  });

  test('that is done is judged in words and figures, each of them from the server', async () => {
    await open(shown, (same) => same.on('study', ({ query }) => studyReply(query)));
    await expect.element(page.getByText('Probably luck')).toBeVisible();
    await expect.element(page.getByText('The best of 18,412 lucky coins would show a Sharpe of 1.41. This shows 1.52.')).toBeVisible();
    await expect.element(page.getByText('44%')).toBeVisible();
    await expect.element(page.getByText('38% went on, 2 of 4 won')).toBeVisible();
    await expect
      .element(page.getByRole('img', { name: /not seen: \+0\.12% then \+0\.09%; \+0\.10% then -0\.04%; .* then -0\.02%$/u }))
      .toBeVisible();
    await expect.element(page.getByRole('columnheader', { name: 'Nearby' })).toBeVisible();
    await expect.element(page.getByText('spike: the median of 6 is +1.20%')).toBeVisible();
    await expect.element(page.getByText('-$61.20')).toBeVisible();
    await expect.element(page.getByText('in 4 studies')).toBeVisible();
    await expect.element(page.getByText('One try failed; the first, try 7: EMA cross fails on BTC/USDT: too bad.')).toBeVisible();
    await expect.element(page.getByText('2026-08-25 to 2026-08-31 sealed, not opened yet')).toBeVisible();
    const bars = page.getByText('share of the variation').element().closest('section')?.querySelectorAll('dd span') ?? [];
    const shares = [...bars].map((bar) => Number(bar.textContent.replace('%', '')));
    expect(shares).toHaveLength(3);
    expect(shares).toEqual(shares.toSorted((a, b) => b - a));
    expect(await findings()).toEqual([]);
  });

  test('whose best is a spike names the best try that stands on a plateau; one whose best is none names nothing', async () => {
    const [like] = someEpochs(1);
    const at = (epoch: number, point: number[], profit: number) => ({
      ...like,
      epoch,
      point,
      loss: -profit,
      figures: { ...like.figures!, profit: profit * 1_000, profit_ratio: profit },
    });
    const epochs = [
      at(1, [20, 34, 330], 0.09),
      ...[0.03, 0.04, 0.03, 0.03, 0.03, 0.03].map((profit, i) => at(2 + i, [3, 3 + (i % 2), 3 + i], profit)),
    ];
    const study = aStudy({ epochs: 7, epochs_wanted: 7, best_epoch: 1, best_loss: -0.09 });
    await open(shown, (same) => same.on('study', ({ query }) => studyReply(query, { study, epochs })));
    await expect.element(page.getByText('Look at try 3 instead.')).toBeVisible();
    await expect.element(page.getByText(/The 5 tries near it have a median profit of \+3\.00%\./u)).toBeVisible();
    await cleanup();
    const judgement = { ...studyFacts().judgement!, neighbourhood: { count: 6, median_profit_ratio: 0.06, is_plateau: true } };
    await open(shown, (same) => same.on('study', ({ query }) => studyReply(query, { study, epochs, details: studyFacts({ judgement }) })));
    await expect.element(page.getByText('plateau: the median of 6 is +6.00%')).toBeVisible();
    expect(page.getByText('Look at try 3 instead.').elements()).toEqual([]);
  });

  test('its map is of the two numbers that are chosen', async () => {
    await open(shown, (same) => same.on('study', ({ query }) => studyReply(query)));
    await page.getByRole('combobox', { name: 'Across' }).click();
    await page.getByRole('option', { name: 'Stop Loss' }).click();
    await page.getByRole('combobox', { name: 'Down' }).click();
    await page.getByRole('option', { name: 'Fast Period' }).click();
    await expect.element(page.getByRole('img', { name: /^Median Sharpe by Stop Loss and Fast Period, from -?\d/u })).toBeVisible();
  });

  test('the best tries sort, two of them are compared, and one fills in the form of a new bot without changing anything', async () => {
    await open(shown, (same) => same.on('study', ({ query }) => studyReply(query)));
    const table = page.getByRole('table', { name: 'Best Tries' });
    await expect.poll(() => table.getByRole('row').elements()[1]?.textContent).toMatch(/^331\.52/u);
    await page.getByRole('button', { name: 'Trades', exact: true }).click();
    await expect.poll(() => table.getByRole('row').elements()[1]?.textContent).not.toMatch(/^331\.52/u);
    await page.getByRole('checkbox', { name: 'Compare try 33' }).click();
    await page.getByRole('checkbox', { name: 'Compare try 12', exact: true }).click();
    await page.getByRole('button', { name: 'Compare', exact: true }).click();
    const compared = page.getByRole('table', { name: 'Two tries compared' });
    await expect.element(compared.getByRole('columnheader', { name: 'Try 33' })).toBeVisible();
    await expect.element(compared.getByRole('row', { name: /^Fast Period/u })).toBeVisible();
    await page.getByRole('button', { name: 'Use for Bot: try 33' }).click();
    await expect.element(page.getByRole('textbox', { name: /nickname/iu })).toBeVisible();
    expect(network.of('createBot')).toEqual([]);
  });

  test('the best try goes to a bot that trades the strategy: its form opens with the settings of the try, and how it orders stays', async () => {
    const own = { stoploss: -0.3, risk_reward_ratio: 2, parameters: { fastPeriod: 9 } };
    const ofStrategy = aBot(1, { strategy_id: aStudy().strategy_id, nickname: 'Morning Cross', own_settings: own, timeframe: '15m' });
    const others = [
      aBot(2, { strategy_id: idOf(77), nickname: 'Another Strategy' }),
      aBot(3, { strategy_id: aStudy().strategy_id, nickname: 'Of Another', user_id: idOf(7) }),
      aBot(4, { strategy_id: aStudy().strategy_id, nickname: 'Futures Cross', margin_mode: 'futures' }),
    ];
    await open(shown, (same) =>
      same
        .on('study', ({ query }) => studyReply(query))
        .on('listBots', [ofStrategy, ...others])
        .on('getBot', aBotConfig(ofStrategy))
        .on('updateBot', ofStrategy),
    );
    await page.getByRole('button', { name: 'Use for Bot: try 33' }).click();
    await expect.element(page.getByRole('menuitem', { name: 'Morning Cross, paper' })).toBeVisible();
    expect(
      page
        .getByRole('menuitem')
        .elements()
        .map(({ textContent }) => textContent),
    ).toEqual(['A New Bot', 'Morning Cross, paper']);
    expect(await findings({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] })).toEqual([]);
    await page.getByRole('menuitem', { name: 'Morning Cross, paper' }).click();
    await expect.element(page.getByRole('textbox', { name: /nickname/iu })).toHaveValue('Morning Cross');
    expect(network.of('updateBot')).toEqual([]);
    await page.getByRole('button', { name: 'Update Bot' }).click();
    await expect.poll(() => network.of('updateBot').length).toBe(1);
    const { point } = someEpochs(33)[32];
    // Only what the try decides has changed: the ratio of risk and reward, stake, slots and pairs are the bot's.
    expect(network.of('updateBot')[0]?.body).toEqual(
      expect.objectContaining({
        own_settings: { stoploss: (point[2] - 350) / 1_000, parameters: { fastPeriod: 5 + point[0], slowPeriod: 26 + point[1] } },
        max_open_trades: ofStrategy.max_open_trades,
        trading_pairs: ofStrategy.trading_pairs,
      }),
    );
  });

  test('whoever may not create bots is offered none, and reads who may', async () => {
    await open(shown, (same) => same.on('study', ({ query }) => studyReply(query)), 'investor');
    await expect.element(page.getByRole('table', { name: 'Best Tries' })).toBeVisible();
    expect(page.getByRole('button', { name: /^Use for Bot/u }).elements()).toEqual([]);
    await expect.element(page.getByText(/^Traders and admins can use a try for a bot\./u)).toBeVisible();
  });

  test('its seal is opened after a question, once, and then says when, by whom and what came of it', async () => {
    const opened = { at: '2026-11-26T05:00:00.000Z', email: 'trader@example.com', epoch: 33, figures: someEpochs(1)[0]?.figures ?? null };
    await open(shown, (same) => same.on('study', ({ query }) => studyReply(query)).on('openSeal', { id: idOf(800) }));
    await page.getByRole('button', { name: 'Open Once' }).click();
    expect(network.of('openSeal')).toEqual([]);
    await expect.element(page.getByText(/^Runs try 33, the best, on 2026-08-25 to 2026-08-31\./u)).toBeVisible();
    network.on('study', ({ query }) => studyReply(query, { details: studyFacts({ unsealed: opened }) }));
    await page.getByRole('dialog').getByRole('button', { name: 'Open Once' }).click();
    await expect.element(page.getByText(/opened 2026-11-26 05:00 UTC by trader@example.com for try 33/u)).toBeVisible();
    await expect.element(page.getByText(/^There it made/u)).toBeVisible();
    expect(network.of('openSeal')[0]?.body).toEqual({ epoch: 33 });
  });

  test('its seal, whose opening is cancelled while it is sent, is not opened by a further try', async () => {
    await open(shown, (same) => same.on('study', ({ query }) => studyReply(query)));
    await page.getByRole('button', { name: 'Open Once' }).click();
    const asked = page.getByRole('dialog', { name: 'Open the Sealed Time' });
    await expectNoFurtherTry(network, 'openSeal', {
      confirm: () => asked.getByRole('button', { name: 'Open Once' }).click(),
      cancel: () => asked.getByRole('button', { name: 'Cancel' }).click(),
      says: 'Cancelled: nothing more is sent. The sealed time may be open already: look at the study.',
    });
  });

  test('its sealed time on which the run failed says so, with who opened it, and is run again for the same try after a question', async () => {
    const failed = { at: '2026-11-26T05:00:00.000Z', email: 'trader@example.com', epoch: 7, figures: null };
    const broken = aStudy({ error: 'The exchange did not answer.' });
    const details = studyFacts({ unsealed: failed });
    await open(shown, (same) =>
      same.on('study', ({ query }) => ({ ...studyReply(query, { details }), study: broken })).on('openSeal', { id: idOf(800) }),
    );
    await expect.element(page.getByText(/opened 2026-11-26 05:00 UTC by trader@example.com for try 7$/u)).toBeVisible();
    await expect.element(page.getByText('The run failed, so nothing of it was seen: The exchange did not answer.')).toBeVisible();
    expect(page.getByText(/The exchange did not answer\./u).elements()).toHaveLength(1);
    expect(page.getByRole('button', { name: 'Open Once' }).elements()).toEqual([]);
    await page.getByRole('button', { name: 'Run It Again' }).click();
    expect(network.of('openSeal')).toEqual([]);
    await expect.element(page.getByText(/^Runs try 7 on 2026-08-25 to 2026-08-31 again, the one that it was opened for\./u)).toBeVisible();
    network.on('study', ({ query }) => studyReply(query, { details }));
    await page.getByRole('dialog').getByRole('button', { name: 'Run It Again' }).click();
    await expect.element(page.getByText('Running it...')).toBeVisible();
    expect(network.of('openSeal')[0]?.body).toEqual({ epoch: 7 });
    expect(page.getByRole('button', { name: 'Run It Again' }).elements()).toEqual([]);
  });

  test('that failed says why; one that was cancelled keeps what it found, and is removed after a question', async () => {
    const failed = aStudy({
      status: 'failed',
      error: 'None of 80 epochs made a trade: there is nothing to choose among.',
      best_epoch: null,
      best_loss: null,
    });
    await open(shown, (same) => same.on('study', { study: failed, details: null, epochs: [] }));
    await expect.element(page.getByText('None of 80 epochs made a trade: there is nothing to choose among.')).toBeVisible();
    await cleanup();
    // Tries without a result are no ground for charts: how many trades they made says what to ask for instead.
    const few = someEpochs(20).flatMap((epoch) => (epoch.epoch % 10 === 0 ? [epoch] : []));
    await open(shown, (same) =>
      same.on('study', ({ query }) => ({
        ...studyReply(query, { study: { ...failed, error: 'None of 2 epochs made 10 trades: ask for fewer.' }, epochs: few }),
        details: studyFacts({ luck: null, judgement: null }),
      })),
    );
    await expect.element(page.getByText('The tries made 3 trades each.')).toBeVisible();
    expect(page.getByText('Where the Good Ones Are').elements()).toEqual([]);
    // The way back is a form like it, in which the one number is changed.
    await page.getByRole('button', { name: 'Search Again' }).click();
    await expect.element(page.getByRole('textbox', { name: 'Min Trades' })).toHaveValue('10');
    await expect.element(page.getByRole('textbox', { name: 'Epochs', exact: true })).toHaveValue('80');
    await expect.element(page.getByRole('checkbox', { name: 'ETH/USDT' })).toBeChecked();
    await expect.element(page.getByRole('checkbox', { name: 'SOL/USDT' })).not.toBeChecked();
    expect(network.of('startStudy')).toEqual([]);
    await cleanup();
    const cancelled = aStudy({ status: 'cancelled' });
    await open(shown, (same) =>
      same
        .on('study', ({ query }) => studyReply(query, { study: cancelled, details: studyFacts({ judgement: null }) }))
        .on('removeStudy', { id: idOf(800) }),
    );
    await expect.element(page.getByText('not judged: it was cancelled')).toBeVisible();
    await page.getByRole('button', { name: 'Remove' }).click();
    expect(network.of('removeStudy')).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.element(page.getByText('No studies yet')).toBeVisible();
  });

  test('that is removed does not close another one that was opened meanwhile', async () => {
    const answer = Promise.withResolvers<{ id: string }>();
    const cancelled = aStudy({ status: 'cancelled' });
    await open(shown, (same) =>
      same
        .on('study', ({ query, path }) =>
          studyReply(query, path.endsWith(idOf(801)) ? { study: aStudy({ id: idOf(801) }) } : { study: cancelled }),
        )
        .on('removeStudy', () => answer.promise),
    );
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await expect.poll(() => network.of('removeStudy').length).toBe(1);
    changeAddress({ run: idOf(801) }); // as by the Back button
    answer.resolve({ id: idOf(800) });
    await expect.element(page.getByText('The study has been removed')).toBeVisible();
    expect(addressStore.getState().values.run).toBe(idOf(801));
  });

  test('that cannot be loaded says so, and loads again', async () => {
    await open(shown, (same) => same.on('study', problem(404, 'Study not found')));
    await expect.element(page.getByText('Failed to load the study')).toBeVisible();
    await expect.element(page.getByText('Study not found')).toBeVisible();
    network.on('study', ({ query }) => studyReply(query));
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.element(page.getByText('Best Tries')).toBeVisible();
  });

  test('of 20,000 tries is drawn as few elements, so that the page stays quick', async () => {
    const many = someEpochs(20_000);
    const study = aStudy({ epochs: 20_000, epochs_wanted: 20_000 });
    await open(shown, (same) =>
      same.on('study', ({ query }) => {
        const reply = studyReply(query, { study, epochs: many });
        return { ...reply, epochs: reply.epochs.slice(0, 2_000) };
      }),
    );
    await expect.element(page.getByRole('img', { name: /^Profit and drawdown of 17999 tries/u })).toBeVisible();
    expect(document.querySelectorAll('.st svg *').length).toBeLessThan(1_200);
  });
});
