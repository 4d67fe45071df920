import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type SandboxProcess, sandboxProcess } from '../../sandbox/testing/sandbox-process.ts';
import { type RawAccount, rawAccount } from '../../sandbox/testing/raw-account.ts';

const main = join(import.meta.dirname, '../../main.ts');
const home = mkdtempSync(join(tmpdir(), 'flotilla-exchange-check-'));
let sandbox: SandboxProcess;
let fall: NodeJS.Timeout;
beforeAll(async () => {
  sandbox = await sandboxProcess(home, ['--control-port', '0']);
  // The price falls slowly, so that a stop next to it is reached soon and an order far below it is not. It is there before
  // the first check: a jump from the market of the sandbox would fill what rests below it.
  let bid = 2000;
  const step = () => {
    bid -= 0.1;
    return control('POST /prices', { pair: 'ETHUSDT', bid, ask: bid + 0.1 });
  };
  await step();
  fall = setInterval(() => void step().catch(() => {}), 2_500); // a stop that is decided on arrives before the next step
});
afterEach(() => control('DELETE /faults'));
afterAll(async () => {
  clearInterval(fall);
  await sandbox.kill();
  rmSync(home, { recursive: true, force: true });
});

async function control(route: string, body: object = {}): Promise<void> {
  const [method = '', path = ''] = route.split(' ');
  await fetch(`${sandbox.controlUrl}${path}`, { method, ...(method === 'DELETE' ? {} : { body: JSON.stringify(body) }) });
}

/** Runs the command in a process of its own with a key of the sandbox, as a person does with one of an exchange. */
async function check(
  words: readonly string[],
  account?: RawAccount,
  interruptAt?: string,
  interrupt = (child: ChildProcess): unknown => child.kill('SIGINT'),
) {
  const key = account === undefined ? {} : { FLOTILLA_EXCHANGE_KEY: account.apiKey, FLOTILLA_EXCHANGE_SECRET: account.secret };
  const env = { ...process.env, FLOTILLA_HOME: home, SANDBOX_URL: sandbox.url, ...key };
  const args = ['--disable-warning=ExperimentalWarning', main, 'exchange-check', '--exchange', 'sandbox', ...words];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      if (interruptAt !== undefined && !out.includes(interruptAt) && text.includes(interruptAt)) interrupt(child);
      out += text;
    });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  const rows = new Map(
    out.split('\n').flatMap((line) => {
      const [, assumption, result, seen] = line.split(' | ').length === 3 ? (/^\| (.*) \| (.*) \| (.*) \|$/u.exec(line) ?? []) : [];
      return assumption === undefined || result === undefined || result === '---' || result === 'result'
        ? []
        : [[assumption, `${result}: ${seen}`] as const];
    }),
  );
  return { code, out, rows };
}

const nothingIsLeft = 'Nothing is left behind: no order, no position, no coin beyond a step';

async function demandTidy(account: RawAccount): Promise<void> {
  expect((await account.send('GET', '/api/v3/openOrders')).body).toEqual([]);
  expect((await account.send('GET', '/fapi/v1/openOrders')).body).toEqual([]);
  expect((await account.send('GET', '/fapi/v1/openAlgoOrders')).body).toEqual([]);
  expect((await account.send('GET', '/fapi/v3/positionRisk')).body).toEqual([]);
  const { balances } = (await account.send('GET', '/api/v3/account')).body as { balances: { asset: string; free: string }[] };
  expect(Number(balances.find(({ asset }) => asset === 'ETH')?.free ?? 0)).toBeLessThan(0.0001);
}

describe('OP-85 exchange-check', () => {
  test.each(['spot', 'futures'])('tries every assumption on %s, prints a table without secrets, and leaves nothing', async (market) => {
    const account = await rawAccount(sandbox);
    const { code, out, rows } = await check(['--market', market, '--confirm', 'sandbox'], account);
    expect(out).toMatch(/\d+ passed, 0 failed/u);
    expect(code, out).toBe(0);
    expect(rows.get('A stop that the price reaches sells, under our client id')).toMatch(/^passed: sold/u);
    expect(rows.get('Its fills are listed under our client id, and add up to the order')).toMatch(/^passed/u);
    expect(rows.get(nothingIsLeft)).toMatch(/^passed/u);
    expect(rows.size).toBeGreaterThan(20);
    for (const secret of [account.apiKey, account.secret]) expect(out).not.toContain(secret);
    await demandTidy(account);
    const orders = await account.send('GET', market === 'spot' ? '/api/v3/allOrders' : '/fapi/v1/allOrders', { symbol: 'ETHUSDT' });
    expect(orders.body.length).toBeGreaterThan(3);
  });

  test('a stop that the price overtakes on its way is placed again, further off', async () => {
    const account = await rawAccount(sandbox);
    const fault = { kind: 'error', status: 400, code: -2021, message: 'Order would immediately trigger.' };
    const stops = '/fapi/v1/algoOrder'; // the first is refused and the second waits in any case
    await control('POST /faults', { fault, method: 'POST', path: stops, skip: 2, times: 2 });
    const { code, out, rows } = await check(['--market', 'futures', '--confirm', 'sandbox'], account);
    expect(code, out).toBe(0);
    expect(rows.get('A stop that the price reaches sells, under our client id'), out).toMatch(/^passed: sold/u);
    await demandTidy(account);
  });

  test.each(['spot', 'futures'])(
    'an exchange that breaks its word on %s fails those checks, and nothing is left there either',
    async (market) => {
      const account = await rawAccount(sandbox);
      const path = market === 'spot' ? '/api/v3/order' : '/fapi/v1/order';
      await control('POST /faults', { fault: { kind: 'reset' }, method: 'POST', path, carriedOut: true, skip: 3, times: 2 });
      await control('POST /faults', { fault: { kind: 'reset' }, method: 'DELETE', path, times: 1 });
      const { code, out, rows } = await check(['--market', market, '--confirm', 'sandbox'], account);
      expect(code, out).toBe(1);
      expect(out).not.toContain('signature=0');
      expect([...rows.values()].filter((each) => each.startsWith('failed')).length, out).toBeGreaterThan(1);
      expect(rows.get(nothingIsLeft), out).toMatch(/^passed/u);
      await demandTidy(account);
    },
  );

  test.each(['spot', 'futures'])('interrupted on %s while something is held, it sells that first', async (market) => {
    const account = await rawAccount(sandbox);
    const bought = 'An order at market is filled at once';
    const { code, out, rows } = await check(['--market', market, '--confirm', 'sandbox'], account, bought);
    expect(code, out).toBe(130);
    expect(rows.get(bought)).toMatch(/^passed/u);
    expect([...rows.values()], out).toContain('skipped: interrupted');
    expect(rows.get(nothingIsLeft), out).toMatch(/^passed/u);
    await demandTidy(account);
  });

  test('when its terminal is closed while something is held, it sells that first, though nobody reads what it says', async () => {
    const account = await rawAccount(sandbox);
    const { code } = await check(
      ['--market', 'futures', '--confirm', 'sandbox'],
      account,
      'An order at market is filled at once',
      (child) => {
        child.stdout?.destroy();
        child.stderr?.destroy();
        child.kill('SIGHUP');
      },
    );
    expect(code).toBe(130);
    await demandTidy(account);
  });

  test('interrupted while a stop waits, which is reached before it can be cancelled, nothing has failed', async () => {
    const account = await rawAccount(sandbox);
    const fault = { kind: 'error', status: 400, code: -2011, message: 'Unknown order sent.' };
    await control('POST /faults', { fault, method: 'DELETE', path: '/fapi/v1/algoOrder', skip: 1, times: 1 });
    const waits = 'A stop waits, is found and listed, and can be cancelled';
    const { code, out, rows } = await check(['--market', 'futures', '--confirm', 'sandbox'], account, waits);
    expect(rows.get('A stop that the price reaches sells, under our client id'), out).toMatch(/^(?:skipped|passed)/u);
    expect(code, out).toBe(130);
    expect(rows.get(nothingIsLeft), out).toMatch(/^passed/u);
    await demandTidy(account);
  });

  test('without a confirmation, and with something open, nothing is sent', async () => {
    const account = await rawAccount(sandbox);
    expect(await check([], account)).toMatchObject({ code: 2, out: expect.stringContaining('Confirm with --confirm sandbox.') });
    expect(await check(['--confirm', 'binance'], account)).toMatchObject({ code: 2, out: expect.stringContaining('nothing was done') });
    const order = { symbol: 'ETHUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: '1500.00', quantity: '0.01' };
    await account.send('POST', '/api/v3/order', order);
    expect(await check(['--confirm', 'sandbox'], account)).toMatchObject({ code: 2, out: expect.stringContaining('has open orders') });
    expect((await account.send('GET', '/api/v3/allOrders', { symbol: 'ETHUSDT' })).body).toHaveLength(1);
  });

  test('beside a position nothing is sent: what only reduces would close a part of it', async () => {
    const account = await rawAccount(sandbox);
    await account.send('POST', '/fapi/v1/order', { symbol: 'ETHUSDT', side: 'BUY', type: 'MARKET', quantity: '0.1' });
    const refused = { code: 2, out: expect.stringContaining('The account has open orders or a position in ETH/USDT:USDT.') };
    expect(await check(['--market', 'futures', '--confirm', 'sandbox'], account)).toMatchObject(refused);
    expect((await account.send('GET', '/fapi/v1/allOrders', { symbol: 'ETHUSDT' })).body).toHaveLength(1);
    expect((await account.send('GET', '/fapi/v3/positionRisk')).body).toMatchObject([{ symbol: 'ETHUSDT', positionAmt: '0.100' }]);
  });

  test('an exchange where live trading was never tried, and a market there is not', async () => {
    const account = await rawAccount(sandbox);
    expect(await check(['--market', 'margin'], account)).toMatchObject({ code: 2, out: expect.stringContaining('spot or futures') });
    expect(await check(['--pair', 'NO/USDT'], account)).toMatchObject({ code: 2, out: expect.stringContaining('NO/USDT') });
  });
});
