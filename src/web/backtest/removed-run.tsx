import { useExchanges } from '../api/use-exchanges.ts';
import { Banner } from '../ui/banner.tsx';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { periodLabel } from './backtest-form.ts';
import { Figures } from './result-figures.tsx';
import type { BacktestRun } from './run-list.ts';
import { removedDetail, removedText } from './run-list.ts';
import { fillInLike } from './run-table.tsx';
import { settingsWords } from './settings-words.ts';

/** An old run of which only the figures are kept, and the way to run it again. */
export function RemovedRun({ run, title, removedAt }: { run: BacktestRun; title: string; removedAt: string }) {
  const exchanges = useExchanges().data ?? [];
  return (
    <CardPanel title={title} flush>
      <Figures run={run} details={undefined} />
      {run.bot === null ? null : (
        <p className="bt-of-bot">
          Settings of bot <b>{run.bot.nickname}</b>: {settingsWords(run.bot)}. Run again, it takes those of the strategy.
        </p>
      )}
      <div className="bt-finding">
        <Banner tone="warning" text={removedText(removedAt)} detail={removedDetail} />
      </div>
      <div className="bt-actions">
        <Button
          variant="secondary"
          title={`Fills in the form: the ${periodLabel(run.days)} of a new run end today`}
          onClick={() => fillInLike(run, exchanges)}
        >
          Run Again
        </Button>
      </div>
    </CardPanel>
  );
}
