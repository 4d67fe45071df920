import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Accounts } from './account/accounts.ts';
import { Store } from './account/store.ts';
import { type CcxtUrls, ccxtUrls } from './ccxt-urls.ts';
import { type SandboxClock, sandboxClock } from './market/clock.ts';
import { DayStatistics } from './market/day-statistics.ts';
import type { SandboxMarket } from './market/listings.ts';
import { Market } from './market/market.ts';
import { replayFile, type ReplayOptions } from './market/replay.ts';
import { controlServer } from './wire/control-server.ts';
import { type Faults, RestFaults } from './wire/faults.ts';
import { ListenKeys } from './wire/listen-keys.ts';
import { defaultWeightLimits } from './wire/request-weights.ts';
import { restServer } from './wire/rest-server.ts';
import { serveStreams } from './wire/streams.ts';
import type { World } from './wire/world.ts';

/** How a sandbox is started. */
export interface SandboxOptions {
  port?: number; // 0, the default, takes a free one
  seed?: number; // another seed, other prices; 7 by default
  startTime?: number; // ms, market time at the start; the machine's time by default
  factor?: number; // how much faster than the machine the market runs, e.g. 60; 1 by default
  replays?: readonly ReplayOptions[]; // candle files that stand for pairs
  crowd?: number; // adds that many made-up coins, to try large numbers of pairs
  weightLimits?: Partial<Record<SandboxMarket, number>>; // request weight per minute
  folder?: string; // where the books of the accounts are kept; without one they are gone when it ends
  controlPort?: number; // opens the control interface on this port; closed by default
}

/** A running sandbox. */
export interface Sandbox {
  readonly url: string; // 'http://127.0.0.1:40123'
  readonly port: number;
  readonly controlPort: number | null;
  readonly clock: SandboxClock;
  readonly faults: Faults;
  readonly accounts: Accounts;
  /** The table ccxt takes as `urls.test`, the same for binance and binanceusdm. */
  urls(): CcxtUrls;
  /** Open sockets and the streams subscribed on them. */
  counts(): { sockets: number; subscriptions: number };
  close(): Promise<void>;
}

/**
 * Starts a simulated exchange on the loopback address that speaks Binance's public wire, as ccxt 4.5.84 expects it:
 * spot and USD-M perpetuals, REST and websockets. Its prices are invented.
 *
 * Fails: Error that names file and line when a replay file is broken; nothing has been opened then
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const clock = sandboxClock({ startTime: options.startTime, factor: options.factor });
  const replays = (options.replays ?? []).map((replay) => replayFile(replay, clock.now()));
  const market = new Market(options.seed ?? 7, options.crowd ?? 0, replays);
  const store = new Store(options.folder ?? null);
  const accounts = new Accounts(market, clock, store);
  const world: World = {
    market,
    accounts,
    listenKeys: new ListenKeys(),
    statistics: new DayStatistics(market),
    clock,
    weightLimits: { ...defaultWeightLimits, ...options.weightLimits },
    streamedBooks: new Map(),
  };
  const restFaults = new RestFaults();
  const server = restServer(world, restFaults);
  const streams = serveStreams(world, server);
  const faults: Faults = {
    add: (rule) => restFaults.add(rule),
    list: () => restFaults.list(),
    clear: () => {
      restFaults.clear();
      streams.clearFaults();
    },
    sockets: streams.faults,
  };
  const port = await listen(server, options.port ?? 0);
  const control = options.controlPort === undefined ? null : controlServer(faults, world);
  const controlPort = control === null ? null : await listen(control, options.controlPort ?? 0);
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    controlPort,
    clock,
    faults,
    accounts,
    urls: () => ccxtUrls(`127.0.0.1:${port}`),
    counts: () => streams.counts(),
    close: async () => {
      streams.close();
      await Promise.all([stop(server), control === null ? null : stop(control)]);
      store.close();
    },
  };
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
