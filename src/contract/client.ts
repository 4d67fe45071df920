import type { z } from 'zod';
import type { Route } from './route.ts';
import type { RouteName, Routes } from './routes.ts';

type In<R, Part extends 'params' | 'body'> =
  R extends Record<Part, infer Schema extends z.ZodType> ? { [key in Part]: z.input<Schema> } : object;

/** The query of a call. A change may go without one whose fields only say what the caller has seen: each of them may be left out. */
type InQuery<R> =
  R extends Record<'query', infer Schema extends z.ZodType>
    ? R extends { method: 'GET' }
      ? { query: z.input<Schema> }
      : object extends z.input<Schema>
        ? { query?: z.input<Schema> }
        : { query: z.input<Schema> }
    : object;

/** What a call is given: its path parameters, query and body, where it has them. */
export type CallInput<Name extends RouteName> = Name extends RouteName
  ? In<Routes[Name], 'params'> & InQuery<Routes[Name]> & In<Routes[Name], 'body'>
  : never; // of each call by itself: of several, the parts of one do not go with those of another

/** What a call answers. */
export type CallReply<Name extends RouteName> = Routes[Name] extends { reply: infer Schema extends z.ZodType } ? z.output<Schema> : never;

/** A request as it is sent. */
export interface WireRequest {
  route: Route;
  path: string; // below /api, filled in, with its query
  body: unknown; // undefined when there is none
}

/** Sends a request and gives the parsed JSON of a success; fails otherwise. `options` are the caller's own. */
export type Send<Options> = (request: WireRequest, options: Options | undefined) => Promise<unknown>;

/** One typed function per call. */
export type Client<Options, Names extends RouteName = RouteName> = {
  [Name in Names]: (input: CallInput<Name>, options?: Options) => Promise<CallReply<Name>>;
};

/** The client of the calls of a table, over any way of sending. Answers are checked against the contract. */
export function createClient<Options, Names extends RouteName>(routes: Pick<Routes, Names>, send: Send<Options>): Client<Options, Names> {
  const client: Record<string, unknown> = {};
  for (const [name, route] of Object.entries(routes) as [string, Route][]) {
    client[name] = async (input: { params?: object; query?: object; body?: unknown } = {}, options?: Options) => {
      const request = { route, path: fillPath(route.path, input.params ?? {}, input.query ?? {}), body: input.body };
      return route.reply.parse(await send(request, options));
    };
  }
  return client as Client<Options, Names>;
}

/** The path with its parameters and query filled in; undefined values are left out. */
function fillPath(path: string, params: object, query: object): string {
  const values = new Map(Object.entries(params));
  const filled = path.replaceAll(/\{(\w{1,40})\}/gu, (_, name: string) => encodeURIComponent(String(values.get(name))));
  const pairs = Object.entries(query).filter(([, value]) => value !== undefined);
  const text = pairs.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`).join('&');
  return text === '' ? filled : `${filled}?${text}`;
}
