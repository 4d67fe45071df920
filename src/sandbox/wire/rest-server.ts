import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { errorText } from '#engine/ports/error-text.ts';
import { Refusal } from '../account/refusal.ts';
import type { SandboxMarket } from '../market/listings.ts';
import { isOwnCaller } from './caller-guard.ts';
import type { RestFault, RestFaults } from './faults.ts';
import { keepAliveTimeout } from './keep-alive.ts';
import { marketRoutes, type Route } from './market-routes.ts';
import { type PrivateCall, privateSide } from './private-server.ts';
import { RequestWeights } from './request-weights.ts';
import { type KeyRight, newKeyPair, rightNamed } from './sandbox-keys.ts';
import { WireError } from './wire-error.ts';
import type { World } from './world.ts';

const prefixes: Record<SandboxMarket, string> = { spot: '/api/v3', futures: '/fapi/v1' };

/** An answer that is ready to be sent. */
interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** The HTTP server of the sandbox: routes, request weights, and faults on demand. It does not listen yet. */
export function restServer(world: World, faults: RestFaults): Server {
  const markets = (['spot', 'futures'] as const).map((market) => ({
    prefix: prefixes[market],
    weights: new RequestWeights(world.weightLimits[market]),
    routes: marketRoutes(world, market),
  }));

  const privateRoutes = privateSide(world);

  const privateAnswer = (call: PrivateCall): Answer => {
    const outcome = privateRoutes.answer(call);
    switch (outcome.kind) {
      case 'value':
        return json(200, outcome.value, outcome.headers);
      case 'refused':
        return attempt(() => {
          throw outcome.error;
        }, outcome.headers);
      case 'weight limit':
        return limited(outcome.verdict.status, outcome.verdict.retryAfterSeconds, outcome.headers);
      case 'order limit':
        return failure(new WireError(429, -1015, 'Too many new orders; the limit of orders is reached.'), {
          ...outcome.headers,
          'retry-after': String(outcome.retryAfterSeconds),
        });
    }
  };

  const answerTo = (method: string, url: URL, apiKey: string | null, body: string): Answer => {
    if (url.pathname === '/') return page();
    if (method === 'POST' && url.pathname === '/sandbox/v1/keys') return json(200, newKeyPair(rightIn(url.searchParams)));
    const route = privateRoutes.find(method, url.pathname);
    const weights = markets[route?.market === 'futures' ? 1 : 0]?.weights;
    if (route !== undefined && weights !== undefined)
      return privateAnswer({ route, apiKey, text: { query: url.search.slice(1), body }, weights });
    const market = markets.find(({ prefix }) => url.pathname.startsWith(`${prefix}/`));
    if (market === undefined) return failure(new WireError(404, -1, `The sandbox has no address ${url.pathname}.`));
    const found = market.routes.find(matching(method, url.pathname.slice(market.prefix.length)));
    const verdict = market.weights.count(found?.weight(url.searchParams) ?? 1, Date.now());
    const headers = { 'x-mbx-used-weight': String(verdict.used), 'x-mbx-used-weight-1m': String(verdict.used) };
    if (verdict.status !== 200) return limited(verdict.status, verdict.retryAfterSeconds, headers);
    if (found === undefined) return failure(new WireError(404, -1, `The sandbox has no ${method} ${url.pathname}.`), headers);
    const before = world.market.work;
    const answer = attempt(() => json(200, found.answer(url.searchParams)));
    // The exchange's own weight is for look-ups; here an answer may have to be computed first.
    const used = market.weights.charge(Math.ceil((world.market.work - before) / workPerWeight), Date.now());
    return { ...answer, headers: { ...answer.headers, 'x-mbx-used-weight': String(used), 'x-mbx-used-weight-1m': String(used) } };
  };

  return createServer({ keepAliveTimeout }, (request, response) => {
    const method = request.method ?? 'GET';
    const url = addressOf(request);
    if (url === null) return send(response, failure(new WireError(400, -1100, 'Illegal characters found in the address.')));
    if (!isOwnCaller(request)) return send(response, failure(new WireError(403, -1, 'The sandbox answers programs of this machine only.')));
    readBody(request, (body) => {
      if (body === null) return send(response, failure(new WireError(413, -1100, 'The body is too long.')));
      const answer = (): Answer => attempt(() => answerTo(method, url, keyIn(request), body));
      const rule = faults.take(method, url.pathname);
      if (rule === null) return send(response, answer());
      if (rule.carriedOut === true && rule.fault.kind !== 'limit' && !needsAnswer(rule.fault)) answer();
      spoil(request, response, rule.fault, answer);
    });
  });
}

/** Days of candles that are computed for one unit of request weight: about 10 ms of work. */
const workPerWeight = 3;

const mostBodyBytes = 65_536;

/** Hands on the whole body of a request; null when it is too long. A request that is cut off is nobody's any more. */
function readBody(request: IncomingMessage, onBody: (body: string | null) => void): void {
  if (request.method === 'GET') return onBody('');
  const chunks: Buffer[] = [];
  let length = 0;
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length <= mostBodyBytes) chunks.push(chunk);
  });
  request.on('end', () => onBody(length > mostBodyBytes ? null : Buffer.concat(chunks).toString('utf8')));
}

/** The requested address; null when it is not a valid one, such as two slashes alone. */
function addressOf(request: IncomingMessage): URL | null {
  const text = `http://sandbox${request.url ?? '/'}`;
  return request.url?.startsWith('/') === true && URL.canParse(text) ? new URL(text) : null;
}

/** An answer whatever happens: nothing that a caller sends ends the sandbox, or leaves the caller waiting. */
function attempt(work: () => Answer, headers: Record<string, string> = {}): Answer {
  try {
    return work();
  } catch (error) {
    if (error instanceof WireError) return failure(error, headers);
    if (error instanceof Refusal) return failure(new WireError(400, error.code, error.message), headers);
    return failure(new WireError(500, -1000, `The sandbox failed: ${errorText(error)}`), headers);
  }
}

function keyIn({ headers }: IncomingMessage): string | null {
  const key = headers['x-mbx-apikey'];
  return typeof key === 'string' ? key : null;
}

/** The right that a new key is asked for: to trade, when nothing is said. */
function rightIn(query: URLSearchParams): KeyRight {
  const right = rightNamed(query.get('right') ?? 'trade');
  if (right !== null) return right;
  throw new WireError(400, -1100, "Illegal characters found in parameter 'right'.");
}

function matching(method: string, path: string): (route: Route) => boolean {
  return (route) => route.method === method && route.path === path;
}

function spoil(request: IncomingMessage, response: ServerResponse, fault: RestFault, answer: () => Answer): void {
  switch (fault.kind) {
    case 'hang':
      return;
    case 'reset':
      request.socket.resetAndDestroy();
      return;
    case 'delay':
      setTimeout(() => send(response, answer()), fault.ms);
      return;
    case 'cut-body':
    case 'stall-body': {
      const { status, headers, body } = answer();
      response.writeHead(status, { ...simulated, ...headers, 'content-length': Buffer.byteLength(body) });
      response.write(body.slice(0, Math.floor(body.length / 2)), () => {
        if (fault.kind === 'cut-body') request.socket.destroy();
      });
      return;
    }
    case 'drip-body': {
      const { status, headers, body } = answer();
      response.writeHead(status, { ...simulated, ...headers, 'content-length': Buffer.byteLength(body) });
      const bytes = Buffer.from(body);
      let sent = 0;
      const timer = setInterval(() => {
        response.write(bytes.subarray(sent, ++sent));
        if (sent === bytes.length) response.end();
      }, fault.everyMs);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case 'body':
      return send(response, {
        status: fault.status ?? 200,
        headers: { 'content-type': fault.contentType ?? 'application/json' },
        body: fault.body,
      });
    case 'late-answer': {
      const made = answer();
      setTimeout(() => send(response, made), fault.ms);
      return;
    }
    case 'error':
      return send(response, failure(new WireError(fault.status, fault.code, fault.message)));
    case 'limit':
      return send(response, limited(fault.status, fault.retryAfterSeconds, {}));
  }
}

function needsAnswer(fault: RestFault): boolean {
  return ['delay', 'late-answer', 'cut-body', 'stall-body', 'drip-body'].includes(fault.kind);
}

/** Each answer says that it is simulated. */
const simulated = { server: 'Flotilla sandbox (simulated market)', 'x-simulated': 'true' };

function send(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, { ...simulated, ...answer.headers, 'content-length': Buffer.byteLength(answer.body) });
  response.end(answer.body);
}

function json(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json;charset=UTF-8', ...headers }, body: JSON.stringify(value) };
}

function failure(error: WireError, headers: Record<string, string> = {}): Answer {
  return json(error.status, { code: error.code, msg: error.message }, headers);
}

function limited(status: 429 | 418, retryAfterSeconds: number, headers: Record<string, string>): Answer {
  const message = `Too much request weight used; current limit of the simulated exchange is reached. Try again in ${retryAfterSeconds} s.`;
  return json(status, { code: -1003, msg: message }, { ...headers, 'retry-after': String(retryAfterSeconds) });
}

function page(): Answer {
  const body = `<!doctype html><html lang="en"><title>Sandbox</title><h1>Simulated market</h1>
<p>This is the market simulator of Flotilla. All prices are invented; nothing here is real money.</p></html>`;
  return { status: 200, headers: { 'content-type': 'text/html;charset=UTF-8' }, body };
}
