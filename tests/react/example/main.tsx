import { StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { Conversation } from "./conversation.js";
import { Log } from "./log.js";
import { SharedConversation } from "./shared-conversation.js";

const query = new URLSearchParams(location.search);

function App() {
  const [id, setId] = useState(query.get("id") ?? "first");
  const [scenario, setScenario] = useState(query.get("scenario") ?? "plain");
  const [isOpen, setIsOpen] = useState(true);
  if (query.has("shared")) return <SharedConversation />;
  return (
    <>
      <nav>
        <label>
          Conversation <input value={id} onChange={(event) => setId(event.target.value)} />
        </label>
        <label>
          Scenario <input value={scenario} onChange={(event) => setScenario(event.target.value)} />
        </label>
        <button type="button" onClick={() => setIsOpen(false)}>
          Close
        </button>
      </nav>
      {isOpen && (
        <Conversation
          id={id}
          scenario={scenario}
          delay={Number(query.get("delay") ?? 1)}
          resume={query.has("resume")}
        />
      )}
    </>
  );
}

const root = document.createElement("div");
document.body.append(root);
createRoot(root).render(
  <StrictMode>
    <Log>
      <App />
    </Log>
  </StrictMode>,
);
