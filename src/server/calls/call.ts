import type { RouteName, Routes } from '#contract/routes.ts';
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { Caller } from './caller.ts';
import type { LinesAnswer } from './lines-answer.ts';
import type { Cookies } from '../http/cookies.ts';

type Part<R, Name extends 'params' | 'query' | 'body'> =
  R extends Record<Name, infer Schema extends z.ZodType> ? z.output<Schema> : undefined;

/** One call as its handler sees it: checked input, the person behind it, the moment. */
export interface Call<Name extends RouteName> {
  params: Part<Routes[Name], 'params'>;
  query: Part<Routes[Name], 'query'>;
  body: Part<Routes[Name], 'body'>;
  caller: Routes[Name]['access'] extends { who: 'anyone' } ? Caller | null : Caller;
  cookies: Cookies;
  now: Date;
  address: string;
  device: string | null; // 'Firefox on Linux', as far as the browser says
  requestId: string;
  ifVersion: number | null; // the caller's change is of this version of the settings (header If-Match)
  log: FastifyBaseLogger;
  isGone: () => boolean; // the caller has hung up: nobody waits for the answer
}

/** Answers one call; the answer is checked against the contract. */
export type Handler<Name extends RouteName> = (
  call: Call<Name>,
) => Promise<Routes[Name] extends { replyType: 'application/x-ndjson' } ? LinesAnswer<Reply<Name>> : Reply<Name>>;

type Reply<Name extends RouteName> = Routes[Name] extends { reply: infer Schema extends z.ZodType } ? z.input<Schema> : never;

/** One handler for every call of the contract: a missing one does not compile. */
export type Handlers = { [Name in RouteName]: Handler<Name> };

/** A handler whose call's types are not known to the compiler any more; only the mount uses it. */
export type AnyHandler = (call: unknown) => Promise<unknown>;
