import { createClient } from '#contract/client.ts';
import { routes } from '#contract/routes.ts';
import { send } from './send.ts';

/** The client of all calls; `api` loads it when it is needed. */
export const allCalls = createClient(routes, send);
