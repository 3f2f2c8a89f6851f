<?php
// A small shop that is complete: it sells, receives webhooks, refunds, cancels, compares its books, and may be
// restarted at any moment. It needs no package. With COFFER_KEY and COFFER_BASE_URL set, and with several workers,
// since Coffer posts while a buyer waits: PHP_CLI_SERVER_WORKERS=4 php -S 127.0.0.1:3000 shop.php

const PRICES = ["Moby Dick" => 1999, "Emma" => 1499]; // Whole cents: 1999 is $19.99.
define("HOME", getenv("SHOP_URL") ?: "http://127.0.0.1:3000"); // Coffer posts to it, and buyers return to it.
define("FOLDER", getenv("SHOP_FOLDER") ?: "sales");
is_dir(FOLDER) || mkdir(FOLDER, recursive: true);

/** What the shop or Coffer refuses. With 502 the outcome is not known. */
class Refused extends Exception {
    public function __construct(public int $status, string $text, public $reason = "") { parent::__construct($text); }
}

/** The answer's `data`. It repeats what may succeed, with the same key each time, so that it is done once. */
function coffer(string $method, string $path, array $body = []): array {
    $headers = ["X-Api-Key: " . getenv("COFFER_KEY"), "Content-Type: application/json"];
    if ($method === "POST") $headers[] = "Idempotency-Key: " . bin2hex(random_bytes(16));
    $http = ["method" => $method, "header" => $headers, "ignore_errors" => true, "timeout" => 20];
    $http["content"] = $body === [] ? "" : json_encode($body);
    for ($try = 1; ; $try++) {
        $http_response_header = [];
        $text = @file_get_contents(getenv("COFFER_BASE_URL") . $path, false, stream_context_create(["http" => $http]));
        $answer = json_decode($text ?: "", true) ?? ["code" => 502]; // 502: no answer, or one of a proxy.
        $code = $answer["code"];
        if ($code < 300) return $answer["data"];
        $lines = implode("\n", $http_response_header);
        $sent = fn (string $name) => preg_match("/^$name: *(\S+)/im", $lines, $found) ? $found[1] : "";
        $reason = $sent("Coffer-Reason") ?: $answer["error"] ?? "";
        $isOpen = $code >= 500 || $code === 429 || $reason === "idempotency_in_progress";
        $isFinal = !$isOpen || $reason === "channel_refused";
        if ($isFinal) throw new Refused($code < 500 ? $code : 409, $answer["message"], $reason);
        $try < 4 || throw new Refused(502, "The outcome is not known. Send the same again.");
        sleep((int) ($sent("Retry-After") ?: 2 ** ($try - 1)));
    }
}

/** All rows of a list, newest first. The last row's number is the cursor of the next page. */
function each_of(string $path, string $cursor): Generator {
    for ($after = ""; ; $after = "&starting_after=" . end($page["data"])[$cursor]) {
        $page = coffer("GET", "$path&limit=100$after");
        yield from $page["data"];
        if (!$page["has_more"]) return;
    }
}

// Sales: a file each, replaced whole, so that a crash leaves the old one or the new one. Yours are rows of a database.

function file_of(string $number): string {
    $isRight = preg_match('/^[\w-]{1,60}$/D', $number);
    return $isRight ? FOLDER . "/$number" : throw new Refused(400, "A number has 1 to 60 letters, digits, - and _.");
}

/** Acts on one order run one after the other, so that an older answer never overwrites a newer one. */
function in_turn(string $number, callable $act): ?array {
    $lock = fopen(file_of($number) . ".lock", "c");
    flock($lock, LOCK_EX);
    return $act(); // Then PHP closes the file, which ends the turn.
}

function load(string $number, ?array $new = null): array {
    $file = file_of($number) . ".json";
    $sale = file_exists($file) ? json_decode(file_get_contents($file), true) : $new;
    return $sale ?? throw new Refused(404, "There is no order $number.");
}

function save(array $sale): void {
    file_put_contents(file_of($sale["number"]) . ".new", json_encode($sale));
    rename(file_of($sale["number"]) . ".new", file_of($sale["number"]) . ".json");
}

function numbers(): array {
    return array_map(fn ($file) => basename($file, ".json"), glob(FOLDER . "/*.json"));
}

/** The cart has a number before Coffer is asked. So a repeated request is the same order, and is paid once. */
function buy(string $cart, string $title): array {
    $amount = PRICES[$title] ?? throw new Refused(400, "We sell " . implode(" and ", array_keys(PRICES)) . ".");
    $new = ["number" => $cart, "title" => $title, "amount" => $amount, "home" => HOME, "refunds" => [], "events" => []];
    $sale = load($cart, $new);
    $sale["title"] === $title || throw new Refused(409, "This cart has another book.");
    save($sale);
    return refresh($sale);
}

/** Reads an order's state. An event says only that it has changed, so events may come twice, late and in any order. */
function refresh(array $sale): array {
    $number = $sale["number"];
    if (!isset($sale["created_at"])) {
        ["title" => $subject, "amount" => $amount, "home" => $home] = $sale;
        $terms = ["out_trade_no" => $number, "amount" => $amount, "currency" => "USD", "subject" => $subject];
        // The home of that day: the same number with another address would be refused.
        $links = ["notify_url" => "$home/hook", "return_url" => "$home/orders/{OUT_TRADE_NO}"];
        coffer("POST", "/orders", $terms + $links);
    }
    $order = coffer("GET", "/orders/$number");
    $sale["created_at"] = $order["created_at"];
    $sale["status"] = $order["status"];
    $sale["paid"] = $order["paid_at"] !== null; // The status goes on: `refunded` was paid, too.
    $sale["refunded"] = $order["refunded_amount"]; // It falls when the bank sends a refund back.
    $sale["dispute"] = $order["dispute_status"];
    $sale["lost"] = 0; // A dispute that was lost can still be won.
    foreach ($sale["dispute"] === null ? [] : each_of("/disputes?trade_no=$number", "dispute_no") as $dispute) {
        $sale["lost"] += $dispute["status"] === "lost" ? $dispute["amount"] : 0;
    }
    foreach ($sale["refunds"] as $id => $refund) {
        if ($refund["status"] === "asked") continue;
        $sale["refunds"][$id]["status"] = coffer("GET", "/refunds/$number.$id")["status"];
    }
    // Once, whatever comes later. Not where all of it was refunded by then.
    if ($sale["paid"] && $sale["status"] !== "refunded") $sale["shipped_at"] ??= gmdate("c");
    save($sale);
    return $sale + ["checkout_url" => $order["checkout_url"]]; // Whoever has it can pay, so it is not stored.
}

/** `$id` is the intention, such as the number of the returned parcel. The same id is the same refund. */
function refund(array $sale, string $id, ?int $amount): array {
    file_of($id);
    $sale["refunds"][$id] ??= ["status" => "asked", "amount" => $amount];
    $sale["refunds"][$id]["amount"] === $amount || throw new Refused(409, "This id is a refund of another amount.");
    save($sale); // Before the call, so that it is repeated with the same number, whatever happens now.
    return send_refund($sale, $id);
}

function send_refund(array $sale, string $id): array {
    $number = "{$sale["number"]}.$id";
    ["status" => $status, "amount" => $amount] = $sale["refunds"][$id];
    $terms = ["trade_no" => $sale["number"], "out_refund_no" => $number];
    $terms += $amount === null ? [] : ["amount" => $amount]; // Without one: all that is left.
    try {
        $sale["refunds"][$id]["status"] = coffer("POST", "/refunds", $terms)["status"];
    } catch (Refused $error) {
        // A refusal has done nothing. With 502 it may be done: it stays `asked`, and is sent again. So it does where
        // the key was refused, which says nothing about an earlier try.
        if ($error->status < 500 && !in_array($error->status, [401, 403], true) && $status === "asked") {
            unset($sale["refunds"][$id]);
            save($sale);
        }
        throw $error;
    }
    return refresh($sale);
}

function cancel(array $sale): array {
    $reason = ""; // `just_paid`: the buyer was faster. `buyer_busy`: again in a minute. `not_pending`: it had ended.
    $sale = refresh($sale);
    try {
        coffer("POST", "/orders/{$sale["number"]}/expire");
    } catch (Refused $error) {
        $reason = $error->status === 409 ? $error->reason : throw $error;
    }
    $sale = refresh($sale);
    return $sale["status"] === "expired" ? $sale : throw new Refused(409, "The order is {$sale["status"]}.", $reason);
}

/** Of the raw bytes. During a rotation of the secret there are two `v1`: one that fits is enough. */
function is_signed(string $raw, string $header, string $secret): bool {
    if (!preg_match('/(?:^|,)t=(\d+)/', $header, $t) || abs(time() - (int) $t[1]) > 300) return false;
    preg_match_all('/v1=([0-9a-f]{64})/', $header, $found);
    $expected = hash_hmac("sha256", "$t[1].$raw", $secret);
    return array_filter($found[1], fn ($v1) => hash_equals($expected, $v1)) !== [];
}

function hear(string $raw): ?array {
    // The account's: it signs what goes to a notify_url. Read again each minute, since it may be rotated.
    if (time() - (int) @filemtime(FOLDER . "/secret") > 60) {
        file_put_contents(FOLDER . "/secret", coffer("GET", "/webhook_signing_secret")["secret"], LOCK_EX);
    }
    $isSigned = is_signed($raw, $_SERVER["HTTP_X_SERVICE_SIGNATURE"] ?? "", file_get_contents(FOLDER . "/secret"));
    $isSigned || throw new Refused(400, "The signature is not right, or it is too old.");
    ["id" => $id, "data" => ["object" => $object]] = json_decode($raw, true);
    $number = $object["out_trade_no"] ?? null;
    return !in_array($number, numbers(), true) ? null : in_turn($number, function () use ($id, $number) {
        $sale = load($number);
        $isNew = !in_array($id, $sale["events"], true);
        $sale["events"][] = $id; // Saved with its work. If that fails we answer 5xx, and the event comes again.
        return $isNew ? refresh($sale) : null;
    });
}

/** Repeats what has no answer, and reads what was missed: before the books are compared. Call it daily. */
function catch_up(string $number): array {
    return in_turn($number, function () use ($number) {
        $sale = load($number);
        foreach ($sale["refunds"] as $id => $refund) {
            try {
                $sale = $refund["status"] === "asked" ? send_refund($sale, $id) : $sale;
            } catch (Refused $error) {
                $sale = $error->status < 500 ? load($number) : throw $error; // It was refused, and is none.
            }
        }
        return refresh($sale);
    });
}

function books(): array {
    $sales = array_map("catch_up", numbers());
    $since = $sales === [] ? "" : "&created[gte]=" . min(array_column($sales, "created_at"));
    [$moved, $decided] = [[], []];
    foreach (each_of("/balance_transactions?currency=USD$since", "id") as $row) {
        ["out_trade_no" => $number, "reference_id" => $reference, "type" => $type] = $row;
        if ($number === null || $type === "fee_debit" || $type === "dispute_fee") continue;
        // Newest first. Of a payment, refund or dispute the last row counts: an unfreeze after a debit gives it back.
        $isKept = in_array($type, ["payment_credit", "refund_debit", "dispute_debit"], true);
        $change = $isKept && !isset($decided[$reference]) ? $row["amount"] : 0;
        $moved[$number] = ($moved[$number] ?? 0) + $change;
        $decided[$reference] = true;
    }
    $lines = array_map(function (array $sale) use ($moved): array {
        $ours = $sale["paid"] ? $sale["amount"] - $sale["refunded"] - $sale["lost"] : 0;
        $ledger = $moved[$sale["number"]] ?? 0;
        return ["number" => $sale["number"], "ours" => $ours, "ledger" => $ledger, "agrees" => $ours === $ledger];
    }, $sales);
    return ["agree" => !in_array(false, array_column($lines, "agrees"), true), "lines" => $lines];
}

function answer(): ?array {
    [, $place, $number, $act] = explode("/", parse_url($_SERVER["REQUEST_URI"], PHP_URL_PATH)) + ["", "", "", ""];
    $raw = file_get_contents("php://input"); // The signature is of these bytes, before they are parsed.
    $typed = json_decode($raw, true) ?? [];
    $cart = $typed["cart"] ?? bin2hex(random_bytes(16));
    return match ("{$_SERVER["REQUEST_METHOD"]} $place $act") {
        "POST hook " => hear($raw),
        "GET books " => books(),
        "POST buy " => in_turn($cart, fn () => buy($cart, $typed["title"] ?? "")),
        "GET orders " => in_turn($number, fn () => refresh(load($number))),
        "POST orders cancel" => in_turn($number, fn () => cancel(load($number))),
        "POST orders refund" => in_turn($number, fn () =>
            refund(load($number), $typed["id"] ?? "", $typed["amount"] ?? null)),
        default => throw new Refused(404, "POST /buy, /orders/N/refund, /orders/N/cancel; GET /orders/N, /books"),
    };
}

header("Content-Type: application/json");
try {
    echo json_encode(answer() ?? (object) []);
} catch (Refused $error) {
    http_response_code($error->status);
    echo json_encode(["error" => $error->getMessage(), "reason" => $error->reason]);
}
