import type { AccountClient } from '../account-client.ts';
import type { OpenStream } from './user-stream.ts';

/** Opens the user stream of a spot account: a socket of the websocket API, subscribed with a signature. */
export async function openSpotStream({ ccxt }: AccountClient): Promise<OpenStream> {
  await ccxt.ensureUserDataStreamWsSubscribeSignature('spot');
  return { end: () => {} };
}
