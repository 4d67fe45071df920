import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { roles } from '#contract/fields.ts';
import { port } from './address.ts';
import { startProduct } from './product.ts';

/** Starts the product on a fresh instance folder for all browser tests, and gives them its accounts. */
export default async function setUp(): Promise<() => Promise<void>> {
  const home = mkdtempSync(join(tmpdir(), 'flotilla-e2e-'));
  chmodSync(home, 0o755); // the database runs as another user when the tests run as root
  const product = await startProduct({ home, port, signIns: roles.length });
  process.env['E2E_ACCOUNTS'] = JSON.stringify(product.accounts);
  process.env['E2E_HOME'] = home;
  return async () => {
    await product.stop();
    rmSync(home, { recursive: true, force: true });
  };
}
