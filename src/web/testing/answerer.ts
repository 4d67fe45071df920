import type { CallReply } from '#contract/client.ts';
import type { Route } from '#contract/route.ts';
import type { RouteName } from '#contract/routes.ts';
import { routes } from '#contract/routes.ts';
import { HeldLines } from './held-lines.ts';

/** A call as it arrived. */
export interface ArrivedCall {
  name: RouteName;
  path: string; // below /api, without its query
  query: Record<string, string>;
  body: unknown;
  headers: Headers;
  credentials: RequestCredentials | undefined;
}

/** An answer that is not a success. */
export class Problem {
  readonly status: number;
  readonly detail: string | null;

  constructor(status: number, detail: string | null) {
    this.status = status;
    this.detail = detail;
  }
}

/** An answer that is not a success; without a detail text the body is empty. */
export function problem(status: number, detail: string | null = null): Problem {
  return new Problem(status, detail);
}

/** No answer at all, as when the server is gone. */
export const noAnswer = new Problem(0, null);

/** What a call is answered with: by a value, or by a function of the call. */
type Answer<Name extends RouteName> = Reply<Name> | ((call: ArrivedCall) => Reply<Name> | Promise<Reply<Name>>);
type Reply<Name extends RouteName> = CallReply<Name> | Problem | HeldLines;

/**
 * Stands in for the network of a page: every fetch is answered here. Replies are checked against the contract, so that no
 * test lives on an answer the server could not give. Calls nobody has an answer for fail the test at `stop`.
 */
export class Answerer {
  readonly calls: ArrivedCall[] = [];
  readonly #answers = new Map<RouteName, (call: ArrivedCall) => unknown>();
  readonly #unexpected: string[] = [];
  readonly #fetch = window.fetch;

  constructor() {
    window.fetch = (input, init) => this.#answer(input as string, init ?? {});
  }

  /** Answers the call `name` from now on. */
  on<Name extends RouteName>(name: Name, answer: Answer<Name>): this {
    this.#answers.set(name, (call) => (typeof answer === 'function' ? (answer as (call: ArrivedCall) => unknown)(call) : answer));
    return this;
  }

  /** What the call `name` would be answered with, given the call that asks in its place. */
  async as<Name extends RouteName>(name: Name, call: ArrivedCall): Promise<Reply<Name>> {
    const answer = this.#answers.get(name);
    if (answer === undefined) throw new Error(`No answer for ${name}`);
    return (await answer(call)) as Reply<Name>;
  }

  /** The calls `name` that have arrived so far. */
  of(name: RouteName): ArrivedCall[] {
    return this.calls.filter((call) => call.name === name);
  }

  /** Gives the network back. */
  stop(): void {
    window.fetch = this.#fetch;
    if (this.#unexpected.length > 0) throw new Error(`No answer for ${this.#unexpected.join(', ')}`);
  }

  async #answer(address: string, init: RequestInit): Promise<Response> {
    const call = toCall(address, init);
    this.calls.push(call);
    const answer = this.#answers.get(call.name);
    if (answer === undefined) {
      this.#unexpected.push(call.name);
      return new Response('{"detail":"Not found"}', { status: 404 });
    }
    const reply = await orAborted(
      Promise.resolve().then(() => answer(call)),
      init.signal,
    );
    if (reply === noAnswer) throw new TypeError('Failed to fetch');
    if (reply instanceof HeldLines) return reply.response(init.signal);
    if (reply instanceof Problem) {
      return new Response(reply.detail === null ? '' : JSON.stringify({ detail: reply.detail }), { status: reply.status });
    }
    const { status = 200, reply: shape } = routes[call.name] as Route;
    shape.parse(reply);
    if (reply instanceof Blob) return new Response(reply, { status });
    return new Response(JSON.stringify(reply), { status, headers: { 'content-type': 'application/json' } });
  }
}

function toCall(address: string, init: RequestInit): ArrivedCall {
  const url = new URL(address, window.location.origin);
  const path = url.pathname.replace(/^\/api/u, '');
  const method = init.method ?? 'GET';
  const entry = (Object.entries(routes) as [RouteName, Route][]).find(
    ([, route]) =>
      route.method === method && pattern(route.path).test(path) && (route.path.includes('{') ? isNoFixedPath(path, method) : true),
  );
  if (!url.pathname.startsWith('/api/') || entry === undefined) throw new Error(`The contract has no call ${method} ${address}`);
  return {
    name: entry[0],
    path,
    query: Object.fromEntries(url.searchParams),
    body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined,
    headers: new Headers(init.headers),
    credentials: init.credentials,
  };
}

function isNoFixedPath(path: string, method: string): boolean {
  return !(Object.values(routes) as Route[]).some((route) => route.method === method && route.path === path);
}

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/gu, '[^/]+')}$`, 'u');
}

function orAborted<T>(answer: Promise<T>, signal: AbortSignal | null | undefined): Promise<T> {
  if (signal === null || signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener('abort', () => reject(signal.reason as Error));
    answer.then(resolve, reject);
  });
}
