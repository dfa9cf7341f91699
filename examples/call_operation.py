"""Calls any operation of orch by its id, from the interface description alone. Standard library, Python 3.9 or later.

    python3 call_operation.py http://127.0.0.1:8080 governance.govern '{"body": {"text": "Read the log"}}'

Without the last argument the documented example is sent. ORCH_TOKEN is sent as the credential where it is set.
"""
import json, os, sys, urllib.error, urllib.parse, urllib.request


class Orch:
    def __init__(self, base_url, token=None):
        self.base_url, self.token = base_url.rstrip("/"), (token or "").strip()
        if not (self.token.isascii() and self.token.isprintable()):
            raise ValueError("ORCH_TOKEN must be printable ASCII")  # the error of a header would show it
        paths = self._send("GET", "/openapi.json")["paths"]
        self.operations = {described["operationId"]: (method.upper(), path, described)
                           for path, methods in paths.items() for method, described in methods.items()}

    def example(self, operation_id):
        _, _, described = self.operations[operation_id]
        content = described.get("requestBody", {}).get("content", {}).get("application/json", {})
        given = {"body": content["example"]} if "example" in content else {}
        for parameter in described.get("parameters", []):
            if "example" in parameter:
                given.setdefault("params" if parameter["in"] == "path" else "query", {})[parameter["name"]] = parameter["example"]
        return given

    def call(self, operation_id, params=None, query=None, body=None):
        method, path, _ = self.operations[operation_id]
        for name, value in (params or {}).items():
            path = path.replace("{%s}" % name, urllib.parse.quote(str(value), safe=""))
        if query:
            path += "?" + urllib.parse.urlencode(query)
        return self._send(method, path, body)

    def _send(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"accept": "application/json"} | ({"content-type": "application/json"} if data else {})
        if self.token:
            headers["authorization"] = "Bearer " + self.token
        request = urllib.request.Request(self.base_url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            text = response.read().decode()
            return json.loads(text) if "json" in response.headers.get("content-type", "") else text


if __name__ == "__main__":
    if len(sys.argv) < 3: sys.exit("usage: call_operation.py URL OPERATION_ID[,OPERATION_ID...] [JSON]")
    try:
        orch = Orch(sys.argv[1], os.environ.get("ORCH_TOKEN"))
        for operation_id in sys.argv[2].split(","):
            given = json.loads(sys.argv[3]) if len(sys.argv) > 3 else orch.example(operation_id)
            print(json.dumps({"operation": operation_id, "reply": orch.call(operation_id, **given)}))
    except urllib.error.HTTPError as error:
        sys.exit("%s %s" % (error.code, error.read().decode()))
    except KeyError as error:
        sys.exit("there is no operation %s" % error)
    except (OSError, ValueError) as error:
        sys.exit("not called: %s" % error)
