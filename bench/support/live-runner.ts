// A runner of live bots as the product starts it, in a process of its own, that notes when each order is decided on, written and sent.
import { CandleWindows } from '#feeds/candle-windows.ts';
import { BotSteps } from '#runner/bots/bot-steps.ts';
import { openAccounts } from '#runner/orders/open-accounts.ts';
import { OrderRoom } from '#runner/orders/order-room.ts';
import { startRunner } from '#runner/runner.ts';
import { openDatabase } from '#storage/database.ts';
import { openingKey } from '#vault/opening.ts';
import { renameSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { connectMarkets } from '../../test/support/connect-markets.ts';
import { machineMs, momentFile } from './order-times.ts';

const [databaseUrl = '', sandboxUrl = '', marketTime, machineTime, factor, key = '', momentsTo = '', figuresTo = ''] =
  process.argv.slice(2);
const now = (): number => Number(marketTime) + (Date.now() - Number(machineTime)) * Number(factor);
const note = momentFile(momentsTo);

const steps = new Map<string, number>(); // when the newest step of each bot began
const take = Reflect.get(BotSteps.prototype, 'take');
BotSteps.prototype.take = function timed(event) {
  steps.set(this.state.botId, machineMs());
  return take.call(this, event);
};
const attach = Reflect.get(OrderRoom.prototype, 'attach');
const decided = Reflect.get(OrderRoom.prototype, 'decided');
OrderRoom.prototype.attach = async function timed(bot) {
  const send = bot.store.send.bind(bot.store);
  bot.store.send = async (order, ...rest) => {
    note(order, 'permit-asked');
    const permit = await send(order, ...rest);
    if (permit.kind === 'sent') note(order, 'permit-given');
    return permit;
  };
  return await attach.call(this, bot);
};
OrderRoom.prototype.decided = function timed(botId, created) {
  for (const { clientOrderId } of created) {
    note(clientOrderId, 'decided', steps.get(botId) ?? Number.NaN);
    note(clientOrderId, 'written');
  }
  decided.call(this, botId, created);
};

const db = openDatabase(databaseUrl, { connections: 12, staysOpen: true });
const log = (message: string, details: object): void => void process.stderr.write(`${message} ${JSON.stringify(details)}\n`);
const markets = connectMarkets(sandboxUrl, now);
await startRunner({
  db,
  leaseDb: openDatabase(databaseUrl, { connections: 1 }),
  checksDb: openDatabase(databaseUrl, { connections: 3, staysOpen: true }),
  markets,
  windows: new CandleWindows(markets, { now }),
  openTrading: openAccounts(db, await openingKey(Buffer.from(key, 'hex')), {
    sandboxUrl,
    liveTrading: 'sandbox',
    now,
    log: (message) => log(message, {}),
  }),
  pace: Number(factor),
  host: `bench ${process.pid}`,
  now,
  log,
});

const resolutionMs = 10;
const delay = monitorEventLoopDelay({ resolution: resolutionMs });
delay.enable();
process.on('SIGUSR2', () => {
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - resolutionMs);
  // In one go: whoever waits for the file must not read half of it.
  writeFileSync(
    `${figuresTo}.new`,
    JSON.stringify({ p50: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) }),
  );
  renameSync(`${figuresTo}.new`, figuresTo);
  delay.reset();
});
