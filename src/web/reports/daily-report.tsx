import './reports.css';
import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconFileText, IconRefresh } from '@tabler/icons-react';
import { useState } from 'react';
import { basePath } from '../api/send.ts';
import { DayField } from '../ui/day-field.tsx';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { DollarNote } from '../ui/dollar-note.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { FailedLoad } from '../ui/failed-load.tsx';
import { FigureBar } from '../ui/figure-bar.tsx';
import { PdfLink } from '../ui/pdf-link.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { useNow } from '../ui/use-now.ts';
import { DayDetails } from './day-details.tsx';
import { dayAfter, utcDay } from './report-day.ts';
import { reportFigures } from './report-figures.ts';
import { useDayDetails } from './use-day-details.ts';
import { ReportMail } from './report-mail.tsx';
import { useReport } from './use-report.ts';

/** The Reports tab: what the trades that were closed on a UTC day come to. */
export function DailyReport() {
  const [day, setDay] = useState(() => utcDay(Date.now()));
  const state = useReport(day);
  const { report, failure, isLoading } = state;
  const details = useDayDetails(day, report !== undefined);
  const refresh = () => {
    state.refresh();
    if (report !== undefined) details.refresh();
  };
  const isToday = day >= utcDay(useNow(60_000));
  return (
    <div className="reports">
      <h1 className="fl-visually-hidden">Daily Report</h1>
      <div className="fl-panel reports-tools">
        <DayField
          label="Date"
          value={day}
          onChange={(chosen) => {
            if (chosen !== '') setDay(chosen);
          }}
        />
        <ActionIcon variant="default" size={30} aria-label="Previous day" onClick={() => setDay(dayAfter(day, -1))}>
          <IconChevronLeft size={15} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="default" size={30} aria-label="Next day" disabled={isToday} onClick={() => setDay(dayAfter(day, 1))}>
          <IconChevronRight size={15} aria-hidden />
        </ActionIcon>
        <span className="reports-dim">{isToday ? 'UTC day, still running' : 'UTC day'}</span>
        <div className="reports-actions">
          <Button variant="secondary" icon={<IconRefresh size={14} aria-hidden />} loading={isLoading} onClick={refresh}>
            Refresh
          </Button>
          <PdfLink
            label="Download PDF"
            href={`${basePath}/reports/${day}/pdf`}
            fileName={`report_${day}.pdf`}
            isDownloading={state.isDownloading}
            onDownload={state.download}
          />
        </div>
      </div>
      <ReportMail />
      {failure === null ? null : (
        <FailedLoad text="Failed to load report" detail={failure.detail} isLoading={isLoading} onRetry={state.refresh} />
      )}
      {report === undefined && failure !== null ? null : (
        <CardPanel title={`Daily Report ${day}`} aside="trades closed on this day, all modes" flush>
          <div className="reports-content">
            {report !== undefined ? (
              <>
                <FigureBar label="Figures of the day" figures={reportFigures(report)} />
                <DollarNote isNeeded={report.leaves_out === true} />
              </>
            ) : state.isEmpty ? (
              <EmptyState
                icon={<IconFileText size={22} />}
                text="No report data available for the date."
                hint="A report counts the trades of your bots that were closed on the day."
                minHeight={160}
              />
            ) : (
              <LoadingRows label="Loading the report" rows={1} height={38} />
            )}
          </div>
        </CardPanel>
      )}
      {report === undefined ? null : <DayDetails day={day} count={report.total_trades} {...details} />}
    </div>
  );
}
