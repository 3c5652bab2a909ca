import { createContext, useCallback, useContext, useState, type ReactNode } from "react";

const LogContext = createContext<(line: string) => void>(() => {});

/** Writes a line to the log at the foot of the page. */
export const useLog = () => useContext(LogContext);

/** Shows what callbacks reported, oldest first. */
export function Log({ children }: { children: ReactNode }) {
  const [lines, setLines] = useState<string[]>([]);
  const write = useCallback((line: string) => setLines((all) => [...all, line]), []);
  return (
    <LogContext value={write}>
      {children}
      <ol aria-label="Log">
        {lines.map((line, index) => (
          <li key={index}>{line}</li>
        ))}
      </ol>
    </LogContext>
  );
}
