import { keyFingerprint } from './master-key.ts';
import { keyFrom, openWith, sealWith } from './seal.ts';

/** A secret of a strategy as it lies in the database. */
export interface SealedStrategySecret {
  readonly [field: string]: string | number;
  v: 1;
  kid: string; // fingerprint of the master key
  ct: string; // base64
}

/** The secrets of a strategy that admins may read again. */
export type StrategySecretColumn = 'webhook' | 'sheets_key';

/**
 * Seals and opens the webhook and the spreadsheet key of strategies, which admins read again and runners send to. Their key is
 * calculated from the master key for this alone: it opens no key of an exchange.
 */
export interface StrategySecrets {
  seal(strategyId: string, column: StrategySecretColumn, text: string): SealedStrategySecret;
  /** Fails when the secret was sealed with another key or for another place. */
  open(strategyId: string, column: StrategySecretColumn, sealed: Readonly<Record<string, unknown>>): string;
}

/** What seals and opens the secrets of strategies in an installation. */
export function strategySecrets(masterKey: Buffer): StrategySecrets {
  const secret = keyFrom(masterKey, 'strategy secrets').toString('base64');
  const kid = keyFingerprint(masterKey);
  const place = (strategyId: string, column: StrategySecretColumn): string => JSON.stringify(['strategies', column, strategyId]);
  return {
    seal: (strategyId, column, text) => ({ v: 1, kid, ct: sealWith(secret, place(strategyId, column), text).toString('base64') }),
    open: (strategyId, column, sealed) => openWith(secret, place(strategyId, column), Buffer.from(String(sealed['ct']), 'base64')),
  };
}
