import axe from 'axe-core';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { cleanup, render } from 'vitest-browser-react';
import { page, userEvent } from 'vitest/browser';
import type { CallReply } from '#contract/client.ts';
import type { Role } from '#contract/fields.ts';
import type { WhatIfChanges } from '#engine/lab/what-if/changes.ts';
import type { Answerer } from '../../testing/answerer.ts';
import { problem } from '../../testing/answerer.ts';
import { aBot } from '../../testing/samples/bots.ts';
import { idOf } from '../../testing/samples/ids.ts';
import { aHistory } from '../../testing/samples/rules.ts';
import { aRun } from '../../testing/samples/runs.ts';
import { aStrategy, someDetails } from '../../testing/samples/strategies.ts';
import { aUser } from '../../testing/samples/users.ts';
import { aWhatIf, aWhatIfAnswer } from '../../testing/samples/what-if.ts';
import { answerFor, startPage, TestPage } from '../../testing/test-page.tsx';

type Setup = CallReply<'whatIf'>;

let network: Answerer;

interface Start {
  setup?: Partial<Setup>;
  role?: Role;
  search?: string;
  answers?: (network: Answerer) => Answerer;
}

const ofBot = `&bot=${idOf(101)}`;

const open = async ({ setup = {}, role = 'trader', search = ofBot, answers = (net) => net }: Start = {}) => {
  network = answers(
    answerFor(aUser(role))
      .on('whatIf', aWhatIf(setup))
      .on('whatIfCandles', () => aHistory())
      .on('whatIfAnswer', aWhatIfAnswer()),
  );
  startPage('/');
  await render(<TestPage path="/" search={`?tab=backtest&view=what-if${search}`} />);
};

beforeAll(() => page.viewport(1440, 1000));
afterEach(async () => {
  await cleanup();
  network.stop();
});

const figure = (name: string, column: number) =>
  page
    .getByRole('table', { name: 'Figures' })
    .getByRole('row', { name: new RegExp(`^${name} `, 'u') })
    .getByRole('cell')
    .nth(column);
const slider = (name: string) => page.getByRole('slider', { name, exact: true });
const turn = async (name: string, key: string, times: number) => {
  (slider(name).element() as HTMLElement).focus();
  for (let i = 0; i < times; i++) await userEvent.keyboard(`{${key}}`);
};
const real = aWhatIfAnswer().report!;
const expectFigures = async (changes: WhatIfChanges) => {
  const { figures } = aWhatIfAnswer(changes).report!;
  await expect.element(figure('Trades', 2)).toHaveTextContent(String(figures.trades));
  await expect.element(figure('Fees', 2)).toHaveTextContent(`$${figures.fees.toFixed(2)}`);
};
const findings = async () => {
  const { violations } = await axe.run(document.body, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'] });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

describe('the replay of a bot', () => {
  test('comes to what the server says, and follows what is turned', async () => {
    await open();
    await expect.element(figure('Trades', 1)).toHaveTextContent(String(real.figures.trades));
    expect(real.figures.trades).toBeGreaterThan(5);
    await expect.element(page.getByLabelText('Result of the replay').getByText('equal')).toBeInTheDocument();
    expect(network.of('whatIfAnswer').map(({ body }) => body)).toEqual([{ bot: idOf(101), days: 5, to: aWhatIf().to, changes: {} }]);
    await expect.element(page.getByText(/ms for 2,500 candles in this browser$/u)).toBeVisible();
    await expect.element(page.getByText('Turn a setting to see what it would have changed.')).toBeVisible();
    await expectFigures({});
    expect(await findings()).toEqual([]);

    await turn('Stake', 'ArrowLeft', 3);
    await expect.element(page.getByText('was 100.00 USDT')).toBeVisible();
    await expectFigures({ stake: 70 });
    await turn('Low', 'ArrowRight', 4);
    await expectFigures({ stake: 70, parameters: { low: 38 } });
    await expect.element(slider('Low')).toHaveAttribute('aria-valuetext', '38, was 34');
    expect(await findings()).toEqual([]);

    await page.getByRole('button', { name: 'Back to Real' }).click();
    await expectFigures({});
    await expect.element(page.getByText('was 100.00 USDT')).not.toBeInTheDocument();
    expect(network.of('whatIfAnswer')).toHaveLength(1); // the server is asked once
  });

  test('the trades that differ are gone through, the newest first; without any all of them', async () => {
    await open();
    await expectFigures({});
    await expect.element(page.getByText(`${real.figures.trades} trades`, { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Earlier trade' }).click();
    await expect.element(page.getByText(`trade ${real.figures.trades} of ${real.figures.trades}`)).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Later trade' })).toBeDisabled();
    await turn('Low', 'Home', 1); // no trade is left
    await expect.element(page.getByText(`${real.figures.trades} differences`)).toBeVisible();
    await page.getByRole('button', { name: 'Earlier difference' }).click();
    await page.getByRole('button', { name: 'Earlier difference' }).click();
    await expect.element(page.getByText(`difference ${real.figures.trades - 1} of ${real.figures.trades}`)).toBeVisible();
    await page.getByRole('button', { name: 'Later difference' }).click();
    await expect.element(page.getByText(`difference ${real.figures.trades} of ${real.figures.trades}`)).toBeVisible();
    expect(await findings()).toEqual([]);
  });

  test('a slider that is turned back is what is real', async () => {
    await open();
    await expectFigures({});
    await turn('Max Open Trades', 'ArrowRight', 2);
    await expect.element(page.getByText('was 2')).toBeVisible();
    await turn('Max Open Trades', 'ArrowLeft', 2);
    await expect.element(page.getByText('was 2')).not.toBeInTheDocument();
    await expect.element(page.getByRole('button', { name: 'Back to Real' })).toBeDisabled();
  });

  test('settings that contradict each other are said, and what was replayed before stays', async () => {
    await open();
    await expectFigures({});
    await turn('Trailing Offset', 'ArrowRight', 2);
    await turn('Trailing Stop', 'ArrowRight', 4);
    await expect.element(page.getByText('The trailing offset (0.002) must be above the positive trailing stop (0.004).')).toBeVisible();
    await expect.element(figure('Trades', 1)).toHaveTextContent(String(real.figures.trades));
    await expect.element(page.getByRole('button', { name: 'Use for Bot' })).toBeDisabled();
    await turn('Trailing Offset', 'ArrowRight', 4);
    await expectFigures({ trailingStop: 0.004, trailingOffset: 0.006 });
    await expect.element(page.getByText(/contradict each other/u)).not.toBeInTheDocument();
    await turn('Trailing Stop', 'ArrowRight', 5);
    await expect.element(page.getByText(/contradict each other/u)).toBeVisible();
    await page.getByRole('button', { name: 'Back to Real' }).click();
    await expect.element(page.getByText(/contradict each other/u)).not.toBeInTheDocument();
    await expectFigures({});
  });

  test('other trades than the server’s are said, not hidden', async () => {
    await open({ answers: (net) => net.on('whatIfAnswer', aWhatIfAnswer({ stake: 50 })) });
    await expect.element(page.getByText(/this browser has other trades than the server\. Do not go by these numbers\./u)).toBeVisible();
    await expect.element(page.getByText('no, see below')).toBeVisible();
  });

  test('a server that does not say is not equal: the replay continues, and the page says so', async () => {
    await open({ answers: (net) => net.on('whatIfAnswer', problem(409, 'A newer question has replaced this one')) });
    await expectFigures({});
    await expect.element(page.getByText('not compared')).toBeVisible();
    await expect
      .element(page.getByText('The server has not calculated this for comparison: A newer question has replaced this one'))
      .toBeVisible();
  });

  test('the period is chosen, and is part of the address', async () => {
    await open();
    await expectFigures({});
    await page.getByText('365 days').click();
    await expect.poll(() => network.of('whatIf').map(({ query }) => query['days'])).toEqual(['90', '365']);
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-search', expect.stringContaining('days=365'));
  });

  test('what was turned opens the form of the bot, where it can be saved', async () => {
    await open();
    await expectFigures({});
    await turn('Stop Loss', 'ArrowRight', 10);
    await turn('Low', 'ArrowRight', 2);
    await turn('Stake', 'ArrowRight', 1);
    await page.getByRole('button', { name: 'Use for Bot' }).click();
    await expect
      .element(page.getByTestId('address'))
      .toHaveAttribute('data-search', expect.stringContaining('tab=bot_control&view=configure'));
    await expect.element(page.getByRole('textbox', { name: 'Stake Amount' })).toHaveValue('110');
    expect(network.of('updateBot')).toEqual([]);
  });

  test('the same strategy, pairs and time are filled into the form of a study, which somebody has to start', async () => {
    await open({ answers: (net) => net.on('listStudies', { studies: [] }).on('studySpace', { dimensions: [] }) });
    await expectFigures({});
    await page.getByRole('button', { name: 'Test in Optimization' }).click();
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-search', expect.stringMatching(/view=optimization(?!.*bot=)/u));
    await expect.element(page.getByText('Pairs 1 chosen')).toBeVisible();
    await expect.element(page.getByRole('textbox', { name: 'Slots' })).toHaveValue('2');
    await expect.element(page.getByRole('textbox', { name: 'Stake' })).toHaveValue('100');
    expect(network.of('startStudy')).toEqual([]);
  });

  test('whoever may not configure it has no way to its form', async () => {
    await open({ role: 'investor', setup: { bot: { ...aWhatIf().bot!, may_configure: false } } });
    await expectFigures({});
    await turn('Stake', 'ArrowLeft', 1);
    await expect.element(page.getByText('was 100.00 USDT')).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Use for Bot' })).not.toBeInTheDocument();
    await expect.element(page.getByText('Only its owner and admins can use settings for this bot.')).toBeVisible();
    expect(await findings()).toEqual([]);
  });
});

describe('the replay of a run', () => {
  const ofRun = { run: idOf(7), bot: null, title: 'Dips in a rise, BTC/USDT, 5m' };

  test('is compared with what is kept of it; the server is not asked', async () => {
    await open({ search: `&run=${idOf(7)}`, setup: { ...ofRun, fingerprint: { value: real.fingerprint, trades: real.figures.trades } } });
    await expect.element(page.getByLabelText('Result of the replay').getByText('equal')).toBeInTheDocument();
    expect(network.of('whatIfAnswer')).toEqual([]);
    expect(network.of('whatIf')[0]?.query).toEqual({ run: idOf(7) });
  });

  test('opens the form of a new bot with all that was replayed, where its strategy has something else', async () => {
    const strategy = aStrategy(1, {
      id: aWhatIf().strategy.id,
      default_timeframe: '1h',
      stoploss: -0.1,
      trailing_stop: false,
      trailing_stop_positive: null,
      trailing_stop_positive_offset: null,
      trailing_only_offset_is_reached: false,
    });
    const settings = { ...aWhatIf().settings, stoploss: -0.012, leverage: 3, marginMode: 'cross' };
    await open({
      search: `&run=${idOf(7)}`,
      setup: { ...ofRun, settings, parameters: { ...aWhatIf().parameters, low: 31 } },
      answers: (net) =>
        net.on('listStrategies', { strategies: [strategy] }).on('strategyDetails', someDetails({ parameters: aWhatIf().declared })),
    });
    await expect.element(figure('Trades', 1)).toBeVisible();
    await turn('Stake', 'ArrowRight', 1);
    await page.getByRole('button', { name: 'Use for Bot' }).click();
    const value = (name: string) => page.getByRole('textbox', { name, exact: true });
    await expect.element(value('Stake Amount')).toHaveValue('110');
    await expect.element(value('Own Stop Loss')).toHaveValue('1.2');
    await expect.element(value('Leverage')).toHaveValue('3');
    await expect.element(page.getByRole('combobox', { name: 'Leverage Mode' })).toHaveValue('cross');
    await expect.element(page.getByRole('combobox', { name: 'Own Timeframe' })).toHaveValue('5m');
    await expect.element(page.getByRole('button', { name: 'Inherit Low' })).toBeVisible();
    await expect.element(page.getByRole('button', { name: 'Set own Trailing Stop' })).toBeVisible();
  });

  test('that was made with other settings says so', async () => {
    await open({ search: `&run=${idOf(7)}`, setup: { ...ofRun, fingerprint: { value: '0123456789abcdef', trades: null } } });
    await expect.element(page.getByText(/other trades than the run had/u)).toBeVisible();
  });
});

describe('the server calculates', () => {
  const python = { source: null, source_note: 'Strategies in Python are calculated by the server.' };
  const answered: Start['answers'] = (net) =>
    net.on('whatIfAnswer', ({ body }) => aWhatIfAnswer((body as { changes: WhatIfChanges }).changes));

  test('what is in Python: the page says so, and asks with each change', async () => {
    await open({ setup: python, answers: answered });
    await expect.element(page.getByText(python.source_note)).toBeVisible();
    await expect.element(page.getByText(/ms for 2,500 candles on the server$/u)).toBeVisible();
    await turn('Stake', 'ArrowLeft', 2);
    await expectFigures({ stake: 80 });
    expect(network.of('whatIfAnswer').at(-1)?.body).toMatchObject({ changes: { stake: 80 } });
    expect(await findings()).toEqual([]);
  });

  test('while it downloads the page waits, and asks again', async () => {
    const replies = [{ state: 'downloading' as const, why: 'The candles of 0 of 1 pairs are there.', report: null, took_ms: null }];
    await open({ setup: python, answers: (net) => net.on('whatIfAnswer', () => replies.shift() ?? aWhatIfAnswer()) });
    await expect.element(page.getByText('Downloading candles. The candles of 0 of 1 pairs are there.')).toBeVisible();
    await expectFigures({});
  });

  test('a failure is said with a way to try again', async () => {
    await open({ setup: python, answers: (net) => net.on('whatIfAnswer', problem(500, 'Something went wrong. Please try again.')) });
    await expect.element(page.getByText('The replay has failed')).toBeVisible();
    network.on('whatIfAnswer', aWhatIfAnswer());
    await page.getByRole('button', { name: 'Retry' }).click();
    await expectFigures({});
  });
});

describe('what stands in the way', () => {
  test('nothing is chosen: a run that has ended or a bot can be', async () => {
    await open({
      search: '',
      answers: (net) =>
        net
          .on('backtestResults', { results: [aRun(7), aRun(8, { status: 'failed', metrics: null })] })
          .on('listBots', [aBot(1), aBot(2, { user_id: idOf(99) })]), // the other is of somebody else, and would be refused
    });
    await expect.element(page.getByText('Nothing is chosen to be replayed.')).toBeVisible();
    expect(await findings()).toEqual([]);
    await page.getByRole('combobox', { name: 'Backtest' }).click();
    await expect.poll(() => page.getByRole('option').elements().length).toBe(1);
    await page.getByRole('option').click();
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-search', expect.stringContaining('run='));
    await page.getByRole('button', { name: 'Choose Another' }).click();
    await page.getByRole('combobox', { name: 'Bot' }).click();
    await expect
      .poll(() =>
        page
          .getByRole('option')
          .elements()
          .map(({ textContent }) => textContent),
      )
      .toEqual([expect.stringMatching(/^Bot 1/u)]);
    await page.getByRole('option', { name: /^Bot 1/u }).click();
    await expect.element(page.getByTestId('address')).toHaveAttribute('data-search', expect.stringContaining('bot='));
  });

  test('what cannot be replayed says why', async () => {
    await open({ setup: { why_not: 'A replay runs spot or futures, this bot trades margin.' } });
    await expect.element(page.getByText('Bot 1 cannot be replayed here.')).toBeVisible();
    await expect.element(page.getByText('A replay runs spot or futures, this bot trades margin.')).toBeVisible();
    expect(network.of('whatIfCandles')).toEqual([]);
    expect(await findings()).toEqual([]);
  });

  test('settings or candles that do not come are loaded again', async () => {
    await open({
      answers: (net) => net.on('whatIf', problem(404, 'Bot not found')).on('whatIfCandles', problem(404, 'Trading pair not found')),
    });
    await expect.element(page.getByText('What is to be replayed could not be loaded')).toBeVisible();
    network.on('whatIf', aWhatIf());
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect.element(page.getByText('BTC/USDT: Trading pair not found')).toBeVisible();
    network.on('whatIfCandles', () => aHistory());
    await page.getByRole('button', { name: 'Retry' }).click();
    await expectFigures({});
  });

  test('while settings and candles are on their way the page says what it waits for', async () => {
    const [setup, candles] = [Promise.withResolvers<Setup>(), Promise.withResolvers<Blob>()];
    await open({ answers: (net) => net.on('whatIf', () => setup.promise).on('whatIfCandles', () => candles.promise) });
    await expect.element(page.getByText('Loading settings')).toBeVisible();
    setup.resolve(aWhatIf());
    await expect.element(page.getByText('Loading the candles of BTC/USDT...')).toBeVisible();
    candles.resolve(aHistory());
    await expectFigures({});
  });

  test('without a trade the reason is said', async () => {
    await open();
    await expectFigures({});
    await turn('Low', 'Home', 1);
    await expect.element(page.getByText(/^No trades/u)).toBeVisible();
  });
});

test('entries that a check has refused are replayed without it, beside the replay of the bot', async () => {
  const about = {
    from: '2026-11-20T07:00:00.000Z',
    to: '2026-11-21T07:00:00.000Z',
    until: '2026-11-21T07:00:00.000Z',
    refused: 0,
    left_out: 0,
  };
  await open({
    search: `${ofBot}&gate=slots-full&period=7`,
    answers: (net) => net.on('replayRefused', { state: 'done', why: null, replay: { ...about, entries: [], sums: [] } }),
  });
  await expect.element(page.getByText('This check has refused no entry in this time: there is nothing to replay.')).toBeVisible();
  expect(network.of('replayRefused')[0]?.body).toMatchObject({ gate: 'slots-full' });
  await expectFigures({});
});

test('on a phone nothing is wider than the screen, and what it comes to stays in sight beside each slider', async () => {
  await page.viewport(390, 844);
  await open();
  await expectFigures({});
  await turn('Stop Loss', 'ArrowLeft', 5);
  for (const name of ['Stop Loss', 'Fee']) {
    slider(name).element().scrollIntoView({ block: 'center' });
    const { top, bottom } = document.querySelector('.wi-in-sight')!.getBoundingClientRect();
    expect([top > 0, bottom <= 844], name).toEqual([true, true]);
  }
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390);
  await page.viewport(1440, 1000);
});
