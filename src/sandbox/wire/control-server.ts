import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { SandboxClock } from '../market/clock.ts';
import { isOwnCaller } from './caller-guard.ts';
import type { Faults, RestFaultRule } from './faults.ts';

/**
 * A small HTTP interface to faults and clock, for test beds in another process. It is never part of the wire.
 *
 * `POST /faults` (a `RestFaultRule`, path as text), `DELETE /faults`, `POST /sockets` ({ do: 'drop' | 'close' |
 * 'silence' | 'duplicate' | 'refuse', path?, count? }), `POST /clock` ({ factor?, advanceMs? }), `GET /clock`
 */
export function controlServer(faults: Faults, clock: SandboxClock): Server {
  return createServer((request, response) => {
    if (!isOwnCaller(request)) return void response.writeHead(403).end();
    void readBody(request)
      .then((body) => act(faults, clock, `${request.method} ${request.url}`, body))
      .then(
        (answer) => response.writeHead(answer === null ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
        (error: unknown) => response.writeHead(400).end(String(error)),
      );
  });
}

type Command = { do?: string; path?: string; count?: number; factor?: number; advanceMs?: number };

function act(faults: Faults, clock: SandboxClock, route: string, body: unknown): unknown {
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
    default:
      return null;
  }
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
      sockets.duplicate(count);
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
