import { IconDownload, IconFlask, IconRobot } from '@tabler/icons-react';
import { useState } from 'react';
import { changeAddress } from '../address/address.ts';
import { detailOf } from '../api/api-error.ts';
import { useExchanges } from '../api/use-exchanges.ts';
import { canCreateBots } from '../session/permissions.ts';
import { useUser } from '../session/use-session.ts';
import { Button } from '../ui/button.tsx';
import { showToast } from '../ui/toast.ts';
import { saveFile } from '../ui/save-file.ts';
import { runCsv, runFileName, runJson } from './run-files.ts';
import type { BacktestDetails, BacktestRun } from './run-list.ts';

/** Opens the form of a new bot, filled in with a run at the exchange of this id. Fails: as the calls that load its strategy */
export type MakeBot = (run: BacktestRun, exchangeId: string) => Promise<void>;

/** What can be done with a finished run: kept as a file, or made a bot of by those who may create bots. */
export function RunActions({ run, details, onMakeBot }: { run: BacktestRun; details: BacktestDetails; onMakeBot: MakeBot }) {
  const user = useUser();
  const exchanges = useExchanges().data ?? [];
  const exchangeId = exchanges.find(({ name }) => name === run.exchange)?.id;
  const [isBusy, setBusy] = useState(false);
  const makeBot = async (id: string): Promise<void> => {
    setBusy(true);
    try {
      await onMakeBot(run, id);
    } catch (error) {
      showToast('error', detailOf(error) ?? 'The form of the bot could not be opened');
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="bt-actions">
      {canCreateBots(user) ? (
        <Button
          icon={<IconRobot size={14} aria-hidden />}
          disabled={exchangeId === undefined}
          title={
            exchangeId === undefined
              ? `${run.exchange} is not offered any more`
              : 'Opens the form of a new paper bot, filled in with what this run was made of'
          }
          loading={isBusy}
          onClick={() => (exchangeId === undefined ? undefined : void makeBot(exchangeId))}
        >
          Make a Bot of This Run
        </Button>
      ) : null}
      <Button
        variant="secondary"
        icon={<IconFlask size={14} aria-hidden />}
        title="Replays this run with other settings"
        onClick={() => changeAddress({ view: 'what-if', run: run.id, bot: null, compare: null, trade: null })}
      >
        What If
      </Button>
      <Button
        variant="secondary"
        icon={<IconDownload size={14} aria-hidden />}
        onClick={() => saveFile(runFileName(run, 'csv'), 'text/csv;charset=utf-8', runCsv(details))}
      >
        Trades as CSV
      </Button>
      <Button
        variant="secondary"
        icon={<IconDownload size={14} aria-hidden />}
        onClick={() => saveFile(runFileName(run, 'json'), 'application/json', runJson(run, details))}
      >
        Result as JSON
      </Button>
    </div>
  );
}
