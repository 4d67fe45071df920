import { createHmac, randomBytes } from 'node:crypto';

/** A new secret for the signatures of a webhook. */
export function newWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/**
 * The headers by which a receiver knows that a body is ours, when it was sent, and that it has not had it before.
 *
 * Source: Standard Webhooks, https://www.standardwebhooks.com (signature v1: HMAC-SHA256 over id, time and body)
 */
export function signatureHeaders(secret: string, id: string, at: Date, body: string): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(at.getTime() / 1000));
  const key = Buffer.from(secret.replace(/^whsec_/u, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${seconds}.${body}`, 'utf8').digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${signature}` };
}
