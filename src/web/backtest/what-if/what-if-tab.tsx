import './what-if.css';
import { SegmentedControl } from '@mantine/core';
import { IconFlask } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { useMemo } from 'react';
import { changeAddress, useAddressValue } from '../../address/address.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { FailedLoad } from '../../ui/failed-load.tsx';
import { LoadingRows } from '../../ui/skeleton.tsx';
import { ChooseSubject } from './choose-subject.tsx';
import type { UseForBot } from './use-for-bot.ts';
import { type Subject, useSetup } from './use-setup.ts';
import { WhatIfReplay } from './what-if-replay.tsx';

const periods = [
  { value: '30', label: '30 days' },
  { value: '90', label: '90 days' },
  { value: '365', label: '365 days' },
];

/** See `WhatIfTab`. */
export interface WhatIfTabProps {
  onUseForBot: UseForBot;
  refused: ComponentType<{ botId: string; gate: string; days: number; symbol: string | null }>; // the entries that a check has refused, replayed without it
}

/** The What-If view: a backtest, or a bot over its last days, replayed with other settings. */
export function WhatIfTab({ onUseForBot, refused: Refused }: WhatIfTabProps) {
  const gate = useAddressValue('gate');
  const symbol = useAddressValue('symbol');
  const period = Number(useAddressValue('period') ?? '1');
  const run = useAddressValue('run');
  const bot = useAddressValue('bot');
  const wanted = useAddressValue('days');
  const days = Number(periods.find(({ value }) => value === wanted)?.value ?? '90');
  const subject = useMemo((): Subject | null => (run !== null ? { run } : bot !== null ? { bot, days } : null), [run, bot, days]);
  const { setup, error, isLoading, retry } = useSetup(subject);
  return (
    <div className="wi">
      <h1 className="fl-visually-hidden">What-If</h1>
      {bot === null || run !== null || gate === null || ![1, 7, 30].includes(period) ? null : (
        <Refused key={`${bot} ${gate} ${symbol} ${period}`} botId={bot} gate={gate} days={period} symbol={symbol} />
      )}
      {subject === null ? (
        <ChooseSubject />
      ) : error !== null ? (
        <section className="fl-panel wi-inset" aria-label="What If">
          <FailedLoad text="What is to be replayed could not be loaded" detail={error} isLoading={isLoading} onRetry={retry} />
          <ChooseAnother />
        </section>
      ) : setup === null ? (
        <section className="fl-panel" aria-label="What If">
          <LoadingRows label="Loading settings" rows={10} />
        </section>
      ) : setup.why_not !== null ? (
        <section className="fl-panel wi-inset" aria-label="What If">
          <Banner tone="warning" text={`${setup.title} cannot be replayed here.`} detail={setup.why_not} />
          <div className="wi-tools">
            {setup.bot === null ? null : <Period days={days} />}
            <ChooseAnother />
          </div>
        </section>
      ) : (
        <WhatIfReplay
          key={`${setup.run ?? setup.bot?.id} ${setup.to}`}
          setup={setup}
          onUseForBot={onUseForBot}
          tools={
            <>
              {setup.bot === null ? null : <Period days={days} />}
              <ChooseAnother />
            </>
          }
        />
      )}
    </div>
  );
}

function Period({ days }: { days: number }) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Period"
      data={periods}
      value={String(days)}
      onChange={(next) => changeAddress({ days: next === '90' ? null : next })}
    />
  );
}

function ChooseAnother() {
  return (
    <Button
      variant="ghost"
      icon={<IconFlask size={14} aria-hidden />}
      onClick={() => changeAddress({ run: null, bot: null, days: null, gate: null, symbol: null, period: null })}
    >
      Choose Another
    </Button>
  );
}
