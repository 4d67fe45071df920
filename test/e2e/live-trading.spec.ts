import { accountOfKey } from '#sandbox/testing/raw-account.ts';
import { openDatabase } from '#storage/database.ts';
import { startEmbeddedServer } from '#storage/embedded/embedded-server.ts';
import type { Page } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { sql } from 'kysely';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { account, takeSession } from './people.ts';
import { expectToast } from './toasts.ts';

test.describe.configure({ mode: 'serial' });

const nickname = 'Live to the End';
const symbols = ['BTC', 'ETH', 'SOL', 'XRP', 'ADA'].map((coin) => `${coin}/USDT:USDT`);
let key = { key: '', secret: '' };
let botId = '';
let ignored = 0;
let origin = '';

test.beforeEach(({ baseURL }) => {
  origin = baseURL ?? '';
});

interface Trade {
  trade_id: string;
  symbol: string;
  status: string;
  entry_price: number | null;
  volume: number;
}
interface Difference {
  id: string;
  bot_id: string;
  symbol: string;
  expected: number;
  actual: number;
}

/** A call of the signed-in person. Fails: when it is refused */
async function call<Reply>(page: Page, method: string, path: string, data?: object): Promise<Reply> {
  const answer = await page.request.fetch(`/api${path}`, {
    method,
    ...(data === undefined ? {} : { data }),
    headers: { origin, 'idempotency-key': crypto.randomUUID() },
  });
  expect(answer.ok(), `${method} ${path} ${answer.status()} ${await answer.text()}`).toBe(true);
  return (await answer.json()) as Reply;
}
const openTrades = async (page: Page) =>
  (await call<Trade[]>(page, 'GET', `/bots/${botId}/trades`)).filter(
    ({ status, entry_price: price }) => status === 'open' && price !== null,
  );
const tradeIn = async (page: Page, symbol: string) => (await openTrades(page)).find((trade) => trade.symbol === symbol);
const switchOfBot = async (page: Page) =>
  (await call<{ switches: { id: string; state: string }[] }>(page, 'GET', '/trading-state')).switches.find(({ id }) => id === botId)?.state;
const patience = { intervals: [500] };

/** The bot's account at the product's own sandbox, as somebody with its key has it: the port is on the command line of its process. */
function atSandbox() {
  const folder = join(process.env['E2E_HOME'] ?? '', 'sandbox');
  const line = readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map((id) => {
      try {
        return readFileSync(`/proc/${id}/cmdline`, 'utf8').split('\0');
      } catch {
        return []; // it has ended meanwhile
      }
    })
    .find((parts) => parts.includes(folder) && parts.includes('--port'));
  const url = `http://127.0.0.1:${line?.[line.indexOf('--port') + 1]}`;
  return accountOfKey({ url }, { apiKey: key.key, secret: key.secret });
}
const wireName = (symbol: string): string => symbol.slice(0, symbol.indexOf(':')).replace('/', '');
/** The stops that stand at the exchange, by symbol. */
const stopsAtExchange = async (): Promise<string[]> => {
  const { body } = await atSandbox().send('GET', '/fapi/v1/openAlgoOrders');
  return (body as { symbol: string }[]).map(({ symbol }) => symbol).sort();
};
const confirmPassword = async (page: Page): Promise<void> => {
  await call(page, 'POST', '/auth/confirm', { password: account('trader').password });
};

test('BOTS-28 a paper bot is switched to live: what can be lost is said, its exact name is typed, and it trades', async ({ page }) => {
  await takeSession(page, 'trader');
  key = await call(page, 'POST', '/api-keys/sandbox');
  const { strategies } = await call<{ strategies: { id: string; strategy_class_name: string }[] }>(page, 'GET', '/strategies');
  ({ id: botId } = await call<{ id: string }>(page, 'POST', '/bots/create', {
    strategy_id: strategies.find((each) => each.strategy_class_name === 'BuyAndHold')?.id,
    nickname,
    exchange_id: 'sandbox',
    margin_mode: 'futures',
    stake_currency: 'USDT',
    stake_amount: 200,
    max_open_trades: symbols.length,
    leverage: 2,
    trading_pairs: symbols,
    user_email: account('trader').email,
    mode: 'paper',
    leverage_mode: 'isolated',
  }));
  await call(page, 'POST', '/api-keys', { exchange_id: 'sandbox', label: nickname, ...key, bot_id: botId });
  // Its candles close every minute, and its stop is near enough for the exchange; no screen sets these.
  const server = await startEmbeddedServer(process.env['E2E_HOME'] ?? '');
  const db = openDatabase(server.url, { connections: 1 });
  await sql`update bots set own_settings = '{"timeframe": "1m", "stoploss": -0.1, "minimalRoi": {"0": 10}}', updated_at = now() where id = ${botId}`.execute(
    db,
  );
  // An entry at a limit may wait until the price comes back; the test of a paper trade sets the same.
  await sql`update strategies set order_types = '{"entry": "market", "exit": "market"}' where class_name = 'BuyAndHold'`.execute(db);
  await db.destroy();

  await page.goto('/?tab=bot_control');
  const card = page.getByRole('article', { name: nickname });
  await card.getByRole('button', { name: 'Switch to Live' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change Bot Mode' });
  await expect(dialog.getByText('-$1000.00')).toBeVisible(); // five stakes, lost whole
  await expect(dialog.getByRole('list', { name: 'Checks' })).toBeVisible();
  const confirm = dialog.getByRole('button', { name: 'Confirm' });
  await dialog.getByLabel("Type the bot's name").fill('live to the end');
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel("Type the bot's name").fill(nickname);
  await expectToast(page, 'Bot mode changed to live', () => confirm.click());
  await card.getByRole('button', { name: 'Activate' }).click();
  await page.getByRole('dialog', { name: 'Activate Bot' }).getByRole('button', { name: 'Confirm' }).click();
  await expect(card.getByText('real orders, simulated market')).toBeVisible();
  await expect.poll(async () => (await openTrades(page)).length, patience).toBe(symbols.length);
  await expect.poll(stopsAtExchange, patience).toEqual(symbols.map(wireName).sort());
});

test('ADD-trade-orders, ADD-close-trade a live trade is closed on its order page: its stop first, then the exit', async ({ page }) => {
  await takeSession(page, 'trader');
  await call(page, 'POST', '/trading-state/stop', { level: 'bot', id: botId, state: 'reducing' }); // it would enter again
  const trade = await tradeIn(page, 'BTC/USDT:USDT');
  await page.goto(`/?order=${trade?.trade_id}`);
  const record = page.getByRole('table', { name: 'Record' });
  await expect(record.getByText(/^Sent \(attempt 1/u).first()).toBeVisible();
  await expect(record.getByText(/^Accepted/u).first()).toBeVisible();
  await expect(page.getByText(/stop, sell stop$/u)).toBeVisible();
  await page.getByRole('button', { name: 'Close now' }).click();
  await page.getByRole('dialog', { name: 'Close Trade' }).getByRole('button', { name: 'Confirm' }).click();
  await expect(page.getByText('closed by hand', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Close now' })).toBeHidden();
  let steps: string[] = [];
  const place = (text: RegExp): number => steps.findIndex((step) => text.test(step));
  await expect // what the page has of the trade may be newer than its record
    .poll(async () => {
      steps = await record.getByRole('row').allTextContents();
      return place(/Filled.*X1/u);
    })
    .toBeGreaterThan(0);
  expect(place(/Manual close requested/u)).toBeGreaterThan(0);
  expect(place(/Manual close requested/u)).toBeLessThan(place(/CancelledS1/u));
  expect(place(/CancelledS1/u)).toBeLessThan(place(/Decided: exit, sell market/u));
  expect(place(/Decided: exit, sell market/u)).toBeLessThan(place(/Filled.*X1/u));
  expect(await stopsAtExchange()).not.toContain('BTCUSDT');
});

test('OP-27 a live bot that is halted on its page keeps its stops at the exchange', async ({ page }) => {
  await takeSession(page, 'trader');
  const before = await stopsAtExchange();
  expect(before).toHaveLength(symbols.length - 1);
  await page.goto(`/?tab=bot_control&bot=${botId}&view=configure`);
  await page.getByRole('button', { name: `Halt: Bot ${nickname}` }).click();
  await page.getByRole('dialog', { name: 'Halt Trading' }).getByRole('button', { name: 'Halt' }).click();
  await expect(page.getByText('Trading is halted. 4 trades stay open and keep their stops.')).toBeVisible();
  expect(await switchOfBot(page)).toBe('halted');
  expect(await stopsAtExchange()).toEqual(before);
  expect(await openTrades(page)).toHaveLength(before.length);
});

test('ADD-differences, ADD-resolve-difference what was traded by hand is found, and adopted, ignored or closed', async ({ page }) => {
  await takeSession(page, 'trader');
  const byHand = { 'ETH/USDT:USDT': 'adopt', 'SOL/USDT:USDT': 'ignore', 'XRP/USDT:USDT': 'close' } as const;
  const before = new Map((await openTrades(page)).map((trade) => [trade.symbol, trade]));
  const { body } = await atSandbox().send('GET', '/fapi/v3/positionRisk');
  for (const symbol of Object.keys(byHand)) {
    const held = (body as { symbol: string; positionAmt: string }[]).find((each) => each.symbol === wireName(symbol))?.positionAmt ?? '0';
    const answer = await atSandbox().send('POST', '/fapi/v1/order', {
      symbol: wireName(symbol),
      side: symbol.startsWith('SOL') ? 'BUY' : 'SELL', // more than the trade belongs to no bot, less is missing
      type: 'MARKET',
      quantity: (Number(held) / 2).toFixed(symbol.startsWith('ETH') ? 3 : 0),
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  }
  const found = async () => (await call<{ open: Difference[] }>(page, 'GET', '/differences')).open.filter(({ bot_id: id }) => id === botId);
  await expect
    .poll(async () => (await found()).map(({ symbol }) => symbol).sort(), { timeout: 180_000, intervals: [1_000] })
    .toEqual(Object.keys(byHand).sort());
  await page.goto(`/?bot=${botId}`);
  await expect(page.getByRole('region', { name: 'The exchange holds something else: ETH/USDT:USDT' })).toBeVisible();
  await confirmPassword(page);
  const missing = new Map<string, number>();
  for (const { id, symbol, expected, actual } of await found()) {
    missing.set(symbol, expected - actual);
    if (symbol.startsWith('SOL')) ignored = actual - expected;
    await call(page, 'POST', `/differences/${id}/resolve`, { how: byHand[symbol as keyof typeof byHand], expected, actual });
  }
  // Adopted: the trade holds less. Closed: it is over. Ignored: it stays, and the account is not compared with it any more.
  const eth = before.get('ETH/USDT:USDT')?.volume ?? 0;
  await expect
    .poll(async () => (await tradeIn(page, 'ETH/USDT:USDT'))?.volume, patience)
    .toBeCloseTo(eth - (missing.get('ETH/USDT:USDT') ?? 0), 6);
  await expect.poll(async () => await tradeIn(page, 'XRP/USDT:USDT'), patience).toBeUndefined();
  await expect.poll(async () => (await found()).length, { intervals: [1_000] }).toBe(0);
  expect((await tradeIn(page, 'SOL/USDT:USDT'))?.volume).toBe(before.get('SOL/USDT:USDT')?.volume);
});

test('ADD-close-all everything of a live bot is closed after its words are typed, and nothing of it is left at the exchange', async ({
  page,
}) => {
  await takeSession(page, 'trader');
  const left = await openTrades(page);
  expect(left.length).toBeGreaterThan(0);
  await page.goto(`/?tab=bot_control&bot=${botId}&view=configure`);
  await page.getByRole('button', { name: `Close all: Bot ${nickname}` }).click();
  const dialog = page.getByRole('dialog', { name: 'Close All Trades' });
  await expect(dialog.getByRole('button', { name: 'Close All Trades' })).toBeDisabled();
  await dialog.getByLabel('Type CLOSE ALL').fill('CLOSE ALL');
  await dialog.getByRole('button', { name: 'Close All Trades' }).click();
  await expect(
    page.getByRole('region', { name: 'Kill Switch' }).getByText(`All ${left.length} trades are closed.`, { exact: false }),
  ).toBeVisible();
  expect(await openTrades(page)).toEqual([]);
  expect(await stopsAtExchange()).toEqual([]);
  const { body } = await atSandbox().send('GET', '/fapi/v3/positionRisk');
  const held = (body as { symbol: string; positionAmt: string }[]).filter(({ positionAmt }) => Number(positionAmt) !== 0);
  expect(held.map(({ symbol }) => symbol)).toEqual(['SOLUSDT']); // what was bought by hand, and ignored
  expect(Number(held[0]?.positionAmt)).toBeCloseTo(ignored, 6);

  // Other tests find the product as it was: nothing of the trader's is stopped.
  await call(page, 'POST', `/bots/${botId}/toggle?status=stopped`);
  await confirmPassword(page);
  await call(page, 'POST', '/trading-state/re-arm', { level: 'bot', id: botId, state: 'active' });
  expect(await switchOfBot(page)).toBe('active');
});
