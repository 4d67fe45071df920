import type { Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rulesTemplates } from '#engine/rules/templates/templates.ts';
import { strategyText } from '#strategy-process/testing/strategy-text.ts';
import { port } from './address.ts';
import { moveTo, takeSession } from './people.ts';

interface Strategy {
  id: string;
  name: string;
  strategy_class_name: string;
}

interface Answer {
  state: string;
  report: { fingerprint: string; figures: { trades: number; netPnl: number; fees: number } } | null;
}

let origin = '';
test.beforeEach(({ baseURL }) => {
  origin = baseURL ?? '';
});

const market = {
  exchange: 'sandbox',
  symbol: 'ETH/USDT',
  trading_mode: 'spot',
  timeframe: '5m',
  days: 7,
  stake_amount: 100,
  max_open_trades: 2,
};

async function post<Reply>(page: Page, path: string, data: object): Promise<Reply> {
  const headers = { origin, 'idempotency-key': crypto.randomUUID() };
  const answer = await page.request.post(path, { headers, data, timeout: 180_000 });
  expect(answer.ok(), `${path}: ${answer.status()} ${await answer.text()}`).toBe(true);
  return (await answer.json()) as Reply;
}

const strategiesOf = async (page: Page): Promise<Strategy[]> =>
  ((await (await page.request.get('/api/strategies')).json()) as { strategies: Strategy[] }).strategies;

const figure = (page: Page, name: string, column: 1 | 2) =>
  page
    .getByRole('table', { name: 'Figures' })
    .getByRole('row')
    .filter({ has: page.getByText(name, { exact: true }) })
    .getByRole('cell')
    .nth(column);

/** Runs a backtest on the server, and opens it in the view where nothing is chosen yet. Gives its id. */
async function openRun(page: Page, strategy: string): Promise<string> {
  let id = '';
  // One backtest of a person runs at a time, and another test may press the button as the same one.
  await expect(async () => {
    ({ id } = await post<{ id: string }>(page, '/api/backtest/run', { ...market, strategy_id: strategy }));
  }).toPass();
  const nothing = page.getByText('Nothing is chosen to be replayed.');
  const another = page.getByRole('button', { name: 'Choose Another' });
  if (await another.isVisible()) await another.click();
  else await moveTo(page, '/?tab=backtest&view=what-if');
  await expect(nothing).toBeVisible();
  await moveTo(page, `/?tab=backtest&view=what-if&run=${id}`);
  await expect(nothing).toBeHidden();
  return id;
}

/** The browser has the trades that the server has kept of the run. */
async function expectEqual(page: Page): Promise<void> {
  await expect(page.getByLabel('Result of the replay').getByText('equal', { exact: true })).toBeAttached();
  await expect(page.getByText(/ms for [\d,]+ candles in this browser$/u)).toBeVisible();
}

/** Turns a slider by keys. */
async function turn(page: Page, name: string, key: 'ArrowLeft' | 'ArrowRight', times: number): Promise<void> {
  await page.getByRole('slider', { name, exact: true }).focus();
  for (let i = 0; i < times; i++) await page.keyboard.press(key);
}

/** What is turned comes to what the server makes of the same changes. */
async function expectAsServer(page: Page, run: string, changes: object): Promise<void> {
  const { report } = await post<Answer>(page, '/api/what-if/answer', { run, changes });
  const { trades, netPnl } = report?.figures ?? { trades: -1, netPnl: 0 };
  await expect(figure(page, 'Trades', 2)).toHaveText(String(trades));
  await expect(figure(page, 'Net PNL', 2)).toHaveText(`${netPnl < -0.005 ? '-' : '+'}$${Math.abs(netPnl).toFixed(2)}`);
}

test('every built-in strategy, ten of rules and three files come in the browser to what the server has kept', async ({ page }) => {
  const folder = join(process.env['E2E_HOME'] ?? '', 'strategies');
  mkdirSync(join(folder, 'shared'), { recursive: true });
  const named = (text: string, name: string): string =>
    text.replace("name: 'Above'", `name: '${name}'`).replace("title: 'Above the average'", `title: 'What ${name}'`);
  writeFileSync(join(folder, 'what-plain.ts'), named(strategyText({}), 'WhatPlain'));
  writeFileSync(join(folder, 'shared/limit.ts'), 'export const limit: number = 3 * 3_600_000;\n');
  writeFileSync(
    join(folder, 'what-hours.ts'),
    `import { aligned } from '#engine/strategy/series.ts';
import { rsi } from '#engine/indicators/rsi.ts';
import { noSignals, type Strategy } from '#engine/strategy/strategy.ts';
import { limit } from './shared/limit.ts';

const hour = { timeframe: '1h', startupCandles: 30 } as const;
const whatHours: Strategy<'low'> = {
  name: 'WhatHours', title: 'What WhatHours', description: '', losesWhen: '', kind: 'pullback', canShort: false, startupCandles: 20, series: [hour],
  defaults: { timeframe: '5m', stoploss: -0.02, minimalRoi: {}, trailingStop: false, trailingStopPositive: null, trailingStopPositiveOffset: 0, trailingOnlyOffsetIsReached: false },
  parameters: { low: { default: 45, min: 20, max: 60, step: 1, meaning: 'RSI of the hour to enter below.' } },
  compute(candles, { low }, others) {
    const { candles: hourly, rows } = aligned(candles, others, hour);
    const strength = rsi(hourly.close, 14);
    const signals = noSignals(candles.close.length);
    rows.forEach((row, i) => {
      if (row > 0 && strength[row]! < low && candles.close[i]! > candles.open[i]!) signals.enterLong[i] = 1;
    });
    return signals;
  },
  callbacks: { customExit: ({ trade, time }) => (time - trade.openTime > limit ? 'three-hours' : null) },
};
export default whatHours;
`,
  );
  writeFileSync(
    join(folder, 'what-adds.ts'),
    named(
      strategyText({
        callbacks: 'adjustPosition: ({ trade, profitRatio }) => (profitRatio < -0.005 && trade.orders.length < 3 ? 20 : null)',
      }),
      'WhatAdds',
    ),
  );

  await takeSession(page, 'admin'); // who may read files
  const files = ['WhatPlain', 'WhatHours', 'WhatAdds'];
  await expect.poll(async () => (await strategiesOf(page)).filter((each) => files.includes(each.strategy_class_name)).length).toBe(3);
  const all = await strategiesOf(page);
  const builtIn = [
    ['EmaCross', 'Fast period'],
    ['SuperTrendFollower', null],
    ['DonchianBreakout', null],
    ['MacdTrend', 'Fast period'],
    ['AdxDirectional', null],
    ['RsiReversal', null],
    ['BollingerReversion', 'Period'],
    ['StochasticPullback', null],
    ['VwapReversion', null],
    ['BuyAndHold', null],
    ['AlwaysFlat', null],
  ] as const;
  for (const [className, parameter] of builtIn) {
    await test.step(className, async () => {
      const strategy = all.find((each) => each.strategy_class_name === className);
      expect(strategy, `there is ${className}`).toBeDefined();
      const run = await openRun(page, strategy?.id ?? '');
      await expectEqual(page);
      await turn(page, 'Max Open Trades', 'ArrowLeft', 1);
      await turn(page, 'Fee', 'ArrowRight', 2);
      await expectAsServer(page, run, { max_open_trades: 1, fee: 0.0011 });
      if (parameter === null) return;
      await turn(page, parameter, 'ArrowRight', 2);
      const name = parameter === 'Period' ? 'period' : 'fastPeriod';
      const was = Number(
        (/was (\d+)/u.exec((await page.getByRole('slider', { name: parameter, exact: true }).getAttribute('aria-valuetext')) ?? '') ??
          [])[1],
      );
      const step = Number(await page.getByRole('slider', { name: parameter, exact: true }).getAttribute('step'));
      await expectAsServer(page, run, { max_open_trades: 1, fee: 0.0011, parameters: { [name]: was + 2 * step } });
    });
  }
  const documents = Object.entries(rulesTemplates).slice(0, 10);
  expect(documents).toHaveLength(10);
  for (const [name, document] of documents) {
    await test.step(`rules of ${name}`, async () => {
      const { id } = await post<{ id: string }>(page, '/api/rules', { document: { ...document, title: `What if ${name}` } });
      await openRun(page, id);
      await expectEqual(page);
    });
  }
  for (const className of files) {
    await test.step(`the file of ${className}`, async () => {
      const run = await openRun(page, all.find((each) => each.strategy_class_name === className)?.id ?? '');
      await expectEqual(page);
      await expect(figure(page, 'Trades', 1)).not.toHaveText('0');
      await turn(page, 'Stake', 'ArrowLeft', 5);
      await expectAsServer(page, run, { stake: 50 });
    });
  }
});

test('from a backtest to other settings, and from these to the form of a bot, where nothing is saved yet', async ({ page }) => {
  await takeSession(page, 'admin');
  const emaCross = (await strategiesOf(page)).find((each) => each.strategy_class_name === 'EmaCross');
  let id = '';
  const run = async (): Promise<number> => {
    const answer = await page.request.post('/api/backtest/run', { data: { ...market, strategy_id: emaCross?.id } });
    if (answer.ok()) ({ id } = (await answer.json()) as { id: string });
    return answer.status();
  };
  await expect.poll(run).toBe(200); // one backtest of a person runs at a time
  await page.goto(`/?tab=backtest&run=${id}`);
  await page.getByRole('button', { name: 'What If', exact: true }).click();
  await expect(page).toHaveURL(/view=what-if/u);
  await expectEqual(page);
  await expect(page.getByText('Turn a setting to see what it would have changed.')).toBeVisible();
  await turn(page, 'Stop Loss', 'ArrowRight', 30);
  await expect(page.getByText('was -5.00%')).toBeVisible();
  await expect(page.getByRole('slider', { name: 'Stop Loss' })).toHaveAttribute('aria-valuetext', '-2.00%, was -5.00%');
  await turn(page, 'Fast period', 'ArrowRight', 3);
  await page.getByRole('button', { name: 'Use for Bot' }).click();
  await expect(page).toHaveURL(/tab=bot_control&view=configure/u);
  await expect(page.getByRole('button', { name: 'Create Bot' })).toBeVisible();
  await expect(page.getByText('2 own settings')).toBeVisible();

  // Where strategies run nothing can be reached or made of text.
  await page.goto(`/?tab=backtest&view=what-if&run=${id}`);
  await expectEqual(page);
  const refused = await page.workers()[0]?.evaluate(async (socket) => {
    const load = (address: string): Promise<unknown> => import(address);
    const tries: (() => unknown)[] = [
      () => fetch('/api/bots'),
      () => new WebSocket(socket),
      () => load('https://example.com/strategy.js'),
      () => load('data:text/javascript,export const a = 1'),
      () => load(URL.createObjectURL(new Blob(['export const a = 1'], { type: 'text/javascript' }))),
      // What is evaluated here may make functions of text; what it leaves for later may not.
      () =>
        new Promise((resolve, reject) =>
          setTimeout(() => {
            try {
              // oxlint-disable-next-line typescript/no-implied-eval -- it has to be refused
              resolve(new Function('return 1')());
            } catch (error) {
              reject(error);
            }
          }),
        ),
    ];
    return Promise.all(
      tries.map(async (each) => {
        try {
          const made = await each();
          if (!(made instanceof WebSocket)) return 'done';
          return await new Promise((resolve) => {
            made.addEventListener('open', () => resolve('done'));
            made.addEventListener('error', () => resolve('refused'));
          });
        } catch {
          return 'refused';
        }
      }),
    );
  }, `ws://127.0.0.1:${port}/`);
  expect(refused).toEqual(Array.from({ length: 6 }, () => 'refused'));

  // Back to the replay: what was real is one press away.
  await page.goto(`/?tab=backtest&view=what-if&run=${id}`);
  await expectEqual(page);
  await turn(page, 'Stop Loss', 'ArrowRight', 30);
  await page.getByRole('button', { name: 'Back to Real' }).click();
  await expect(page.getByText('was -5.00%')).toHaveCount(0);
  await page.getByRole('button', { name: 'Choose Another' }).click();
  await expect(page.getByText('Nothing is chosen to be replayed.')).toBeVisible();
});
