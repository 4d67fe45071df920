import { createClient } from '#contract/client.ts';
import { profitRoutes } from '#contract/profits.ts';
import { send } from '../api/send.ts';

/** The calls about profits, by themselves: the first page of an investor begins with one, and needs no other shapes for it. */
export const profitsApi = createClient(profitRoutes, send);
