import { SignJWT } from 'jose';
import type { Reach, RequestFault } from '../public-request.ts';
import { publicRequest } from '../public-request.ts';
import type { ServiceAccount } from './service-account.ts';

/** A token for calls, or why there is none. */
export type TokenResult =
  | { ok: true; token: string }
  | { ok: false; reason: RequestFault | 'account-refused' | 'not-understood' }
  | { ok: false; reason: 'token-refused'; status: number };

/** Access tokens of a service account. */
export interface AccessTokens {
  /** The token in use, else a new one; whoever asks meanwhile waits for the same. */
  take(): Promise<TokenResult>;
  /** The token is not used again: it was refused. */
  forget(token: string): void;
}

const scope = 'https://www.googleapis.com/auth/spreadsheets';
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const longestBody = 65_536;
const longestLifeS = 3_600; // Google accepts no longer one
const marginMs = 60_000; // a token is not used in the last minute of its life

/**
 * Asks Google for tokens with a JWT that the account's key has signed, and keeps one until shortly before its end.
 *
 * Source: https://developers.google.com/identity/protocols/oauth2/service-account, RFC 7523
 */
export function accessTokens(account: ServiceAccount, now: () => Date, reach?: Reach): AccessTokens {
  let kept: { token: string; until: number } | null = null;
  let question: Promise<TokenResult> | null = null;

  const ask = async (): Promise<TokenResult> => {
    const asked = now().getTime();
    const answer = await publicRequest(
      {
        method: 'POST',
        url: account.tokenUrl,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ grant_type: grant, assertion: await assertion(account, asked) }).toString(),
      },
      longestBody,
      reach,
    );
    if (!answer.ok) return answer;
    if (answer.status === 400 || answer.status === 401 || answer.status === 403) return { ok: false, reason: 'account-refused' };
    if (answer.status !== 200) return { ok: false, reason: 'token-refused', status: answer.status };
    const token = tokenIn(answer.body);
    if (token === null) return { ok: false, reason: 'not-understood' };
    kept = { token: token.text, until: asked + Math.min(token.lifeS, longestLifeS) * 1_000 - marginMs };
    return { ok: true, token: token.text };
  };

  return {
    async take() {
      if (kept !== null && now().getTime() < kept.until) return { ok: true, token: kept.token };
      question ??= ask().finally(() => (question = null));
      return question;
    },
    forget(token) {
      if (kept?.token === token) kept = null;
    },
  };
}

function assertion({ email, key, keyId, tokenUrl }: ServiceAccount, time: number): Promise<string> {
  const issued = Math.floor(time / 1_000);
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(keyId === null ? {} : { kid: keyId }) })
    .setIssuer(email)
    .setAudience(tokenUrl.href)
    .setIssuedAt(issued)
    .setExpirationTime(issued + longestLifeS)
    .sign(key);
}

/** The token of an answer; null when it is not one that can be put into a header. */
function tokenIn(body: string): { text: string; lifeS: number } | null {
  try {
    const { access_token: text, expires_in: lifeS } = JSON.parse(body) as Record<string, unknown>;
    if (typeof text !== 'string' || !/^[\x21-\x7E]{1,4096}$/u.test(text)) return null;
    return { text, lifeS: typeof lifeS === 'number' && lifeS > 0 ? lifeS : 0 };
  } catch {
    return null;
  }
}
