import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { SandboxMarket } from '../market/listings.ts';
import { tickMs, tickNumber } from '../market/market.ts';
import { isOwnCaller } from './caller-guard.ts';
import type { Faults, RestFaultRule } from './faults.ts';
import { keepAliveTimeout } from './keep-alive.ts';
import type { World } from './world.ts';

/** What the control interface may change. */
type ControlledWorld = Pick<World, 'clock' | 'accounts' | 'listenKeys' | 'market'>;

/**
 * A small HTTP interface to faults and clock, for test beds in another process. It is never part of the wire.
 *
 * `POST /faults` (a `RestFaultRule`, path as text), `DELETE /faults`, `POST /sockets` ({ do: 'drop' | 'close' |
 * 'silence' | 'duplicate' | 'gap' | 'reorder' | 'refuse', path?, count? }), `POST /clock` ({ factor?, advanceMs? }), `GET /clock`,
 * `POST /accounts` ({ remembersIds?: 'while-open' | 'always', readDelayMs?, madeOrderIds?: 'same' | 'new' }), `POST /listen-keys/end`, `POST /prices` ({ pair:
 * 'LTCUSDT', bid, ask, depth? }: the best prices of the pair on both markets, and what may be had at them, from the next tick on; when
 * the clock stands still that tick begins at once)
 */
export function controlServer(faults: Faults, world: ControlledWorld): Server {
  return createServer({ keepAliveTimeout }, (request, response) => {
    if (!isOwnCaller(request)) return void response.writeHead(403).end();
    void readBody(request)
      .then((body) => act(faults, world, `${request.method} ${request.url}`, body))
      .then(
        (answer) => response.writeHead(answer === null ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
        (error: unknown) => response.writeHead(400).end(String(error)),
      );
  });
}

type Command = {
  do?: string;
  path?: string;
  count?: number;
  factor?: number;
  advanceMs?: number;
  remembersIds?: string;
  readDelayMs?: number;
  madeOrderIds?: string;
  pair?: string;
  bid?: number;
  ask?: number;
  depth?: number;
};

function act(faults: Faults, world: ControlledWorld, route: string, body: unknown): unknown {
  const { clock, accounts, listenKeys } = world;
  const command = body as Command;
  switch (route) {
    case 'POST /faults':
      faults.add(body as RestFaultRule);
      return { rules: faults.list().length };
    case 'DELETE /faults':
      faults.clear();
      return { rules: 0 };
    case 'POST /sockets':
      return socketFault(faults, command);
    case 'POST /clock':
      if (command.factor !== undefined) clock.setFactor(command.factor);
      if (command.advanceMs !== undefined) clock.advance(command.advanceMs);
      return { now: clock.now(), factor: clock.factor };
    case 'GET /clock':
      return { now: clock.now(), factor: clock.factor };
    case 'POST /accounts':
      if (command.remembersIds === 'while-open' || command.remembersIds === 'always') accounts.rules.remembersIds = command.remembersIds;
      if (command.madeOrderIds === 'same' || command.madeOrderIds === 'new') accounts.rules.madeOrderIds = command.madeOrderIds;
      if (command.readDelayMs !== undefined) accounts.rules.readDelayMs = command.readDelayMs;
      return accounts.rules;
    case 'POST /prices':
      return steer(world, command);
    case 'POST /listen-keys/end':
      listenKeys.endAll();
      return {};
    default:
      return null;
  }
}

/** Sets the prices of a pair from the next tick on, and lets all accounts that are watched meet them. */
function steer({ clock, accounts, market }: ControlledWorld, { pair: id = '', bid = 0, ask = 0, depth = 1_000_000 }: Command): unknown {
  const markets: SandboxMarket[] = ['spot', 'futures'];
  if (clock.factor === 0) clock.advance(tickMs - (clock.now() % tickMs));
  const from = tickNumber(clock.now()) + (clock.factor === 0 ? 0 : 1);
  for (const pair of markets.flatMap((name) => market.pair(name, id) ?? [])) {
    const ticks = (price: number) => Math.round(price * 10 ** pair.decimals);
    market.steered.set(pair, { from, bid: ticks(bid), ask: ticks(ask), depth: Math.round(depth * 10 ** pair.amountDecimals) });
  }
  accounts.follow();
  return { now: clock.now() };
}

function socketFault({ sockets }: Faults, { do: action, path, count = 1 }: Command): unknown {
  switch (action) {
    case 'drop':
      return { sockets: sockets.drop(path) };
    case 'close':
      return { sockets: sockets.close(1001, path) };
    case 'silence':
      sockets.silence(path);
      return {};
    case 'duplicate':
      sockets.duplicate(count, path);
      return {};
    case 'gap':
      sockets.gap(count, path);
      return {};
    case 'reorder':
      sockets.reorder(count, path);
      return {};
    case 'refuse':
      sockets.refuse(count);
      return {};
    default:
      return null;
  }
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}
