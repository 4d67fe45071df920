import '../portfolio/portfolio.css';
import './optimization.css';
import { useEffect, useState } from 'react';
import { useAddressValue } from '../../address/address.ts';
import { useUser } from '../../session/use-session.ts';
import { Banner } from '../../ui/banner.tsx';
import { openPlanFormOf } from '../portfolio/portfolio-store.ts';
import { useChoicesToRun } from '../use-backtests.ts';
import { StudyForm } from './study-form.tsx';
import { StudyPage } from './study-page.tsx';
import { StudyRows } from './study-rows.tsx';
import type { UseTry } from './try-for-bot.ts';

/** Studies: many backtests in search of parameters and settings, and how far the best of them can be trusted. */
export function OptimizationTab({ onUseTry }: { onUseTry: UseTry }) {
  const shownId = useAddressValue('run');
  return (
    <div className="st">
      <h1 className="fl-visually-hidden">Optimization</h1>
      {shownId === null ? <NewStudy /> : <StudyPage key={shownId} id={shownId} onUseTry={onUseTry} />}
    </div>
  );
}

function NewStudy() {
  const { strategies, exchanges, choicesFailure } = useChoicesToRun();
  const userId = useUser()?.userId ?? '';
  useEffect(() => openPlanFormOf(userId), [userId]);
  const [today] = useState(() => new Date().toISOString().slice(0, 10));
  return (
    <>
      {choicesFailure === null ? null : (
        <Banner tone="error" text="Failed to load strategies or exchanges" detail={choicesFailure.detail} />
      )}
      <div className="st-begin">
        <StudyForm strategies={strategies ?? []} exchanges={exchanges ?? []} today={today} />
        <StudyRows />
      </div>
    </>
  );
}
