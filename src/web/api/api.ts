import { createClient } from '#contract/client.ts';
import { send } from './send.ts';

/** Every call of the API, typed and checked by the contract. */
export const api = createClient(send);
