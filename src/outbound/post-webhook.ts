import type { Reach, RequestFault } from './public-request.ts';
import { publicRequest } from './public-request.ts';
import type { UrlRefusal } from './webhook-url.ts';
import { checkWebhookUrl } from './webhook-url.ts';

/** What became of a message; never a word of the other side's. */
export type Delivery = { ok: true } | { ok: false; reason: UrlRefusal | RequestFault } | { ok: false; reason: 'refused'; status: number };

/** Posts a message to an address that a person has entered: over https, to a listed host. Of the answer only its status is read. */
export async function postWebhook(
  address: string,
  message: Readonly<Record<string, unknown>>,
  addedHosts: readonly string[],
  reach?: Reach,
): Promise<Delivery> {
  const check = checkWebhookUrl(address, addedHosts);
  if (!check.ok) return { ok: false, reason: check.reason };
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  const answer = await publicRequest({ method: 'POST', url: check.url, headers, body: JSON.stringify(message) }, 0, reach);
  if (!answer.ok) return answer;
  return answer.status >= 200 && answer.status < 300 ? { ok: true } : { ok: false, reason: 'refused', status: answer.status };
}
