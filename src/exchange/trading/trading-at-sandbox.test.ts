import { afterAll } from 'vitest';
import { tradingContract } from '#engine/ports/trading.contract.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { rigAt } from './testing/sandbox-account.ts';

const sandbox = await startSandbox({ startTime: Date.UTC(2026, 4, 20, 13, 7, 21), factor: 0, controlPort: 0 });
afterAll(() => sandbox.close());

tradingContract('the sandbox through ccxt, spot', () => rigAt(sandbox, 'spot'));
tradingContract('the sandbox through ccxt, USD-M', () => rigAt(sandbox, 'futures'));
