import { errorText } from '#engine/ports/error-text.ts';
import { keyFingerprint, masterKeyPath, openMasterKey } from '#vault/master-key.ts';
import { hasNextKey } from '#vault/key-change.ts';
import type { Config } from '../config.ts';
import type { Finding } from './finding.ts';
import { broken, ok, warning } from './finding.ts';

/**
 * Whether the master key is there and is the one that the database knows by `fingerprint`; null where no database or none of ours
 * was found. Nothing is made or moved.
 */
export function checkMasterKey({ home, masterKey }: Pick<Config, 'home' | 'masterKey'>, fingerprint: string | null): Finding {
  const check = 'master key';
  const path = masterKey.file ?? masterKeyPath(home);
  let key: Buffer | null;
  try {
    key = openMasterKey({ home, ...masterKey }, false);
  } catch (error) {
    return broken(check, errorText(error), 'Put the right key there, readable by this user alone.');
  }
  const name = masterKey.file === null && masterKey.text !== null ? 'MASTER_KEY' : path;
  const putBack = `Copy keys/master.key from the first machine (after a restore: from your safe copy) to ${path}.`;
  if (fingerprint === null)
    return key === null ? ok(check, 'There is none yet; the first start makes it.') : ok(check, `${name} holds a key.`);
  if (key !== null && keyFingerprint(key) === fingerprint) return ok(check, `The key in ${name} is the one of this database.`);
  if (hasNextKey(path, fingerprint))
    return warning(check, 'A change of the key was interrupted.', 'Start Flotilla, or run change-key again: either finishes it.');
  return key === null
    ? broken(check, `The key of this database is not there: ${name}. Stored secrets cannot be opened.`, putBack)
    : broken(check, `The key in ${name} is not the one of this database. Stored secrets cannot be opened.`, putBack);
}
