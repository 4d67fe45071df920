import { pnlRanges } from '#contract/fields.ts';
import type { CallReply } from '#contract/client.ts';
import { builtInServerConfig } from '#contract/settings.ts';
import type { Handlers } from '../calls/call.ts';
import { HttpError } from '../http/http-error.ts';
import type { ServerDependencies } from '../server-dependencies.ts';

type Setting = CallReply<'getSetting'>['value'];

/** The settings of the server that people may read, by key. */
export function settingsHandlers(dependencies: ServerDependencies): Pick<Handlers, 'getSetting'> {
  const settings = new Map<string, Setting>([
    ['server_config', { ...builtInServerConfig, live_trading_enabled: dependencies.liveTrading !== 'off' }],
    ['paper', { fee_rate: 0.001 }],
    ['pnl_ranges', [...pnlRanges]],
  ]);

  return {
    async getSetting({ params }) {
      const value = settings.get(params.key);
      if (value === undefined) throw new HttpError(404, 'Setting not found');
      return { key: params.key, value };
    },
  };
}
