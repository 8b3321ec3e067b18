"""Tries the generated client against the service at PETSTORE_URL with the API key PETSTORE_KEY.

Exits with 1 at the first difference.
"""

import json
import os
import sys
import uuid
from urllib.parse import parse_qs, urlsplit

from petstore_client import ApiClient, ApiException, Configuration, NewPet, PetsApi
from urllib3 import HTTPHeaderDict

URL = os.environ["PETSTORE_URL"]


def api(key):
    return PetsApi(ApiClient(Configuration(host=URL, access_token=key)))


def adds_once(pets, category):
    """Adds an animal twice with the same Idempotency-Key, as a retry does."""
    key = str(uuid.uuid4())
    animal = NewPet(name="Señor Llama", categoryId=category, status="available")
    first = pets.create_pet_with_http_info(animal, key)
    retry = pets.create_pet_with_http_info(animal, key)
    expect("status", 201, first.status_code)
    expect("name", "Señor Llama", first.data.name)
    expect("categoryId", category, first.data.category_id)
    expect("Idempotent-Replayed of the first response", None, header(first, "Idempotent-Replayed"))
    expect("Idempotent-Replayed of the retry", "true", header(retry, "Idempotent-Replayed"))
    expect("the animal of the retry", first.data, retry.data)
    return first.data


def all_animals(pets):
    """Returns the animals of all pages: as long as there is a link to the next page, `after` is taken from it."""
    animals, after = [], None
    while True:
        page = pets.list_pets_with_http_info(limit=20, after=after)
        animals += page.data
        link = header(page, "Link") or ""
        if not link.endswith('; rel="next"'):
            return animals
        after = int(parse_qs(urlsplit(link[1:link.index(">")]).query)["after"][0])


def is_not_modified(pets):
    etag = header(pets.list_pets_with_http_info(limit=1), "ETag")
    try:
        pets.list_pets(limit=1, if_none_match=etag)
        expect("status with If-None-Match", 304, 200)
    except ApiException as e:
        expect("status with If-None-Match", 304, e.status)


def fails(name, status, code, words, call):
    try:
        call()
        expect(f"status of {name}", status, 200)
    except ApiException as e:
        expect(f"status of {name}", status, e.status)
        error = json.loads(e.body)
        expect(f"code of {name}", code, error["code"])
        expect(f"status in the body of {name}", status, error["status"])
        expect(f"'{words}' in: {error['message']}", True, words in error["message"])


def header(response, name):
    """Returns a header field; the generated dictionary has names in the case in which they were sent, e.g. `etag`."""
    return HTTPHeaderDict(response.headers).get(name)


def expect(name, expected, actual):
    if expected != actual:
        sys.exit(f"python: {name}: expected {expected}, was {actual}")


def main():
    pets = api(os.environ["PETSTORE_KEY"])
    odd = adds_once(pets, 9007199254740993)
    greatest = adds_once(pets, 9223372036854775807)

    animals = all_animals(pets)
    expect("three pages or more", True, len(animals) > 40)
    ids = [animal.id for animal in animals]
    expect("ids ascend", sorted(set(ids)), ids)
    expect("the last animals of all pages", [odd, greatest], animals[-2:])

    is_not_modified(pets)
    # The generated class refuses a blank name itself, but takes an integer of any size.
    fails("an integer of 65 bits", 400, "invalid_request", "categoryId must",
          lambda: pets.create_pet(NewPet(name="Llama", categoryId=2**64)))
    fails("a wrong key", 401, "unauthorized", "API key", lambda: api("wrong").list_pets())
    print(f"python: {len(animals)} animals on all pages, one per Idempotency-Key, ETag, errors and int64 as expected")


main()
