// Tries the generated client against the service at PETSTORE_URL with the API key PETSTORE_KEY. Exits with 1 at the first
// difference.
package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	petstore "petstore.clients/go/generated"
)

var next = regexp.MustCompile(`^<([^>]*)>; rel="next"$`)

// An api is the generated client. Its context has the API key.
type api struct {
	*petstore.PetsAPIService
	context.Context
}

func newAPI(key string) api {
	configuration := petstore.NewConfiguration()
	configuration.Servers = petstore.ServerConfigurations{{URL: os.Getenv("PETSTORE_URL")}}
	pets := petstore.NewAPIClient(configuration).PetsAPI
	return api{pets, context.WithValue(context.Background(), petstore.ContextAccessToken, key)}
}

func main() {
	pets := newAPI(os.Getenv("PETSTORE_KEY"))
	odd := pets.addsOnce(9_007_199_254_740_993)
	greatest := pets.addsOnce(math.MaxInt64)

	all := pets.all()
	expect("three pages or more", true, len(all) > 40)
	for i := range all[1:] {
		expect("ids ascend", true, all[i].Id < all[i+1].Id)
	}
	expect("the last animals of all pages", []petstore.Pet{odd, greatest}, all[len(all)-2:])

	pets.isNotModified()
	_, response, err := pets.CreatePet(pets).PetInput(*petstore.NewPetInput(" ", 1)).Execute()
	fails("a blank name", 400, "invalid_request", "name must", response, err)
	wrong := newAPI("wrong")
	_, response, err = wrong.ListPets(wrong).Execute()
	fails("a wrong key", 401, "unauthorized", "API key", response, err)
	fmt.Printf("go: %d animals on all pages, one per Idempotency-Key, ETag, errors and int64 as expected\n", len(all))
}

// addsOnce adds an animal twice with the same Idempotency-Key, as a retry does.
func (pets api) addsOnce(category int64) petstore.Pet {
	key := make([]byte, 16)
	_, err := rand.Read(key)
	succeeds(err)
	animal := petstore.NewPetInput("Señor Llama", category)
	animal.SetStatus(petstore.AVAILABLE)
	request := pets.CreatePet(pets).PetInput(*animal).IdempotencyKey(hex.EncodeToString(key))
	pet, first, err := request.Execute()
	succeeds(err)
	again, retry, err := request.Execute()
	succeeds(err)
	expect("status", 201, first.StatusCode)
	expect("name", "Señor Llama", pet.Name)
	expect("categoryId", category, pet.CategoryId)
	expect("Idempotent-Replayed of the first response", "", first.Header.Get("Idempotent-Replayed"))
	expect("Idempotent-Replayed of the retry", "true", retry.Header.Get("Idempotent-Replayed"))
	expect("the animal of the retry", pet, again)
	return *pet
}

// all returns the animals of all pages: as long as there is a link to the next page, `after` is taken from it.
func (pets api) all() []petstore.Pet {
	var all []petstore.Pet
	request := pets.ListPets(pets).Limit(20)
	for {
		page, response, err := request.Execute()
		succeeds(err)
		all = append(all, page...)
		link := next.FindStringSubmatch(response.Header.Get("Link"))
		if link == nil {
			return all
		}
		target, err := url.Parse(link[1])
		succeeds(err)
		after, err := strconv.ParseInt(target.Query().Get("after"), 10, 64)
		succeeds(err)
		request = request.After(after)
	}
}

func (pets api) isNotModified() {
	request := pets.ListPets(pets).Limit(1)
	_, page, err := request.Execute()
	succeeds(err)
	_, again, _ := request.IfNoneMatch(page.Header.Get("ETag")).Execute()
	expect("status with If-None-Match", 304, again.StatusCode)
}

func fails(name string, status int, code, words string, response *http.Response, err error) {
	expect("status of "+name, status, response.StatusCode)
	var failure *petstore.GenericOpenAPIError
	expect("an error for "+name, true, errors.As(err, &failure))
	body := failure.Model().(petstore.Error)
	expect("code of "+name, code, body.Code)
	expect("status in the body of "+name, status, int(body.Status))
	expect("'"+words+"' in: "+body.Message, true, strings.Contains(body.Message, words))
}

func succeeds(err error) {
	expect("error", nil, err)
}

func expect(name string, expected, actual any) {
	if !reflect.DeepEqual(expected, actual) {
		fmt.Fprintf(os.Stderr, "go: %s: expected %v, was %v\n", name, expected, actual)
		os.Exit(1)
	}
}
